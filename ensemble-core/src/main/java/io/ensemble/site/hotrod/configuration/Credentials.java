package io.ensemble.site.hotrod.configuration;

import java.util.function.Supplier;

/**
 * The credentials of this process at a site. Never reveals the password.
 *
 * @param user the user's name
 * @param password requested once for each new connection to the cluster
 * @param mechanism the SASL mechanism
 */
public record Credentials(String user, Supplier<char[]> password, String mechanism) {

  /** The default mechanism. */
  public static final String SCRAM_SHA_512 = "SCRAM-SHA-512";

  /** The mechanism by which the client certificate identifies this process. */
  public static final String EXTERNAL = "EXTERNAL";

  /** The user's name where a certificate identifies the user. */
  public static final String CERTIFICATE = "certificate";

  /**
   * @throws IllegalArgumentException when user or mechanism is blank
   */
  public Credentials {
    if (user.isBlank()) {
      throw new IllegalArgumentException("credentials require a user; got a blank name");
    }
    if (mechanism.isBlank()) {
      throw new IllegalArgumentException(
          "credentials require a SASL mechanism such as " + SCRAM_SHA_512 + "; got a blank name");
    }
  }

  /** A user with a password, by {@link #SCRAM_SHA_512}. The array is copied. */
  public static Credentials of(String user, char[] password) {
    char[] copy = password.clone();
    return new Credentials(user, copy::clone, SCRAM_SHA_512);
  }

  /**
   * A user with a password from a supplier, such as a {@link Secret}; by {@link #SCRAM_SHA_512}.
   */
  public static Credentials of(String user, Supplier<char[]> password) {
    return new Credentials(user, password, SCRAM_SHA_512);
  }

  /**
   * The user in the client certificate, by {@link #EXTERNAL}: requires {@link Tls#withKeyStore}.
   */
  public static Credentials ofCertificate() {
    return new Credentials(CERTIFICATE, () -> new char[0], EXTERNAL);
  }

  /** Whether the client certificate identifies the user. */
  public boolean isExternal() {
    return mechanism.equals(EXTERNAL);
  }

  /** These credentials by another SASL mechanism. */
  public Credentials withMechanism(String other) {
    return new Credentials(user, password, other);
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", mechanism=" + mechanism + "]";
  }
}
