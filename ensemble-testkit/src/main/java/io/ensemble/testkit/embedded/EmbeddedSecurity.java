package io.ensemble.testkit.embedded;

import java.nio.file.Path;

/** What a site asks of its clients. */
public sealed interface EmbeddedSecurity
    permits EmbeddedSecurity.Open, PasswordOverTls, EmbeddedTls {

  /** Anyone may connect, in clear text. */
  static EmbeddedSecurity open() {
    return new Open();
  }

  /**
   * One user with a password, proved by SCRAM or DIGEST inside TLS; anything else is refused. The
   * servers share a fresh self-signed certificate for localhost and 127.0.0.1, which clients find
   * in a PKCS12 trust store written into {@code directory}.
   *
   * @throws IllegalStateException if the certificate cannot be made or written
   */
  static PasswordOverTls passwordOverTls(String user, String password, Path directory) {
    return PasswordOverTls.create(user, password, directory);
  }

  /** Anyone may connect, in clear text. */
  record Open() implements EmbeddedSecurity {}
}
