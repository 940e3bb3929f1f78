package io.ensemble.zoofence.deployment;

import org.jspecify.annotations.Nullable;

/**
 * Several ensembles cannot be used as one deployment: one of them is not reached, or belongs to
 * another deployment. Joining again is safe.
 */
public final class DeploymentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DeploymentException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
