package io.ensemble.site.hotrod.configuration;

import java.util.function.Supplier;

/**
 * Who we are to a site. Never shows the password.
 *
 * @param user the user's name
 * @param password asked once for each connection to the cluster that is set up
 * @param mechanism the SASL mechanism
 */
public record Credentials(String user, Supplier<char[]> password, String mechanism) {

  /** The mechanism unless another is asked for. */
  public static final String SCRAM_SHA_512 = "SCRAM-SHA-512";

  /** The mechanism by which our certificate says who we are. */
  public static final String EXTERNAL = "EXTERNAL";

  /** What stands for the user where a certificate names it. */
  public static final String CERTIFICATE = "certificate";

  /**
   * @throws IllegalArgumentException when user or mechanism is blank
   */
  public Credentials {
    if (user.isBlank()) {
      throw new IllegalArgumentException("credentials want a user; got a blank name");
    }
    if (mechanism.isBlank()) {
      throw new IllegalArgumentException(
          "credentials want a SASL mechanism such as " + SCRAM_SHA_512 + "; got a blank name");
    }
  }

  /** A user with a password, by {@link #SCRAM_SHA_512}. The array is copied. */
  public static Credentials of(String user, char[] password) {
    char[] copy = password.clone();
    return new Credentials(user, copy::clone, SCRAM_SHA_512);
  }

  /** A user whose password is kept elsewhere, as a {@link Secret} is; by {@link #SCRAM_SHA_512}. */
  public static Credentials of(String user, Supplier<char[]> password) {
    return new Credentials(user, password, SCRAM_SHA_512);
  }

  /** Whoever our certificate says, by {@link #EXTERNAL}: wants {@link Tls#withKeyStore}. */
  public static Credentials ofCertificate() {
    return new Credentials(CERTIFICATE, () -> new char[0], EXTERNAL);
  }

  /** Whether our certificate says who we are. */
  public boolean isExternal() {
    return mechanism.equals(EXTERNAL);
  }

  /** The same by another SASL mechanism. */
  public Credentials withMechanism(String other) {
    return new Credentials(user, password, other);
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", mechanism=" + mechanism + "]";
  }
}
