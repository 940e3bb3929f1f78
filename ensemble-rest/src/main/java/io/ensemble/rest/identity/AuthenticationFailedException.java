package io.ensemble.rest.identity;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The presented credentials do not prove an identity. The message goes to the caller, so it
 * contains neither the credentials nor the accepted values.
 */
final class AuthenticationFailedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final @Nullable String claimedName;

  AuthenticationFailedException(String reason) {
    this(reason, null);
  }

  /**
   * @param claimedName the claimed user name, for the audit; null for none
   */
  AuthenticationFailedException(String reason, @Nullable String claimedName) {
    super(reason, null, false, false);
    this.claimedName = claimedName;
  }

  @Nullable String claimedName() {
    return claimedName;
  }
}
