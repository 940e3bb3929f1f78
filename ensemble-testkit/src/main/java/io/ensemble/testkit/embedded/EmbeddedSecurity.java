package io.ensemble.testkit.embedded;

import java.nio.file.Path;

/** The authentication and encryption that a site requires of its clients. */
public sealed interface EmbeddedSecurity
    permits EmbeddedSecurity.Open, PasswordOverTls, EmbeddedTls {

  /** Any client may connect, in clear text. */
  static EmbeddedSecurity open() {
    return new Open();
  }

  /**
   * One user with a password, which SCRAM or DIGEST proves inside TLS; the servers refuse
   * everything else. They share a fresh self-signed certificate for localhost and 127.0.0.1.
   * Clients find it in a PKCS12 trust store written into {@code directory}.
   *
   * @throws IllegalStateException if the certificate cannot be made or written
   */
  static PasswordOverTls passwordOverTls(String user, String password, Path directory) {
    return PasswordOverTls.create(user, password, directory);
  }

  /** Any client may connect, in clear text. */
  record Open() implements EmbeddedSecurity {}
}
