package io.ensemble.testkit.wan;

/**
 * Distance cannot be emulated, or no longer, because a requirement is missing, not allowed or has
 * failed. The hosts made so far are removed; retrying is safe.
 */
public final class WanException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  WanException(String message) {
    super(message);
  }

  WanException(String message, Throwable cause) {
    super(message, cause);
  }
}
