package io.ensemble.rest.identity;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * What somebody showed does not prove who they are. Its message goes to the caller: it tells
 * neither what was shown nor what would have been accepted.
 */
final class AuthenticationFailedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final @Nullable String tried;

  AuthenticationFailedException(String reason) {
    this(reason, null);
  }

  /**
   * @param tried the user whose password came, for the audit; null for none
   */
  AuthenticationFailedException(String reason, @Nullable String tried) {
    super(reason, null, false, false);
    this.tried = tried;
  }

  @Nullable String tried() {
    return tried;
  }
}
