package io.ensemble.rest.identity;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The presented credentials do not prove an identity. The message goes to the caller, so it
 * contains neither the credentials nor the accepted values.
 */
final class AuthenticationFailedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final @Nullable String attemptedUser;

  AuthenticationFailedException(String reason) {
    this(reason, null);
  }

  /**
   * @param attemptedUser the claimed user name, for the audit; null for none
   */
  AuthenticationFailedException(String reason, @Nullable String attemptedUser) {
    super(reason, null, false, false);
    this.attemptedUser = attemptedUser;
  }

  @Nullable String attemptedUser() {
    return attemptedUser;
  }
}
