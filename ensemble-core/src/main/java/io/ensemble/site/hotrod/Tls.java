package io.ensemble.site.hotrod;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a site proves itself to us. Never shows the password.
 *
 * @param trustStore a PKCS12 or JKS store (by its name's ending, PKCS12 when it says nothing) or a
 *     PEM file of the certificates that we trust
 * @param trustStorePassword of the store; null for PEM
 * @param sniHostName the name that the site's certificate must bear; null for the name of its first
 *     endpoint
 */
public record Tls(
    Path trustStore, @Nullable Supplier<char[]> trustStorePassword, @Nullable String sniHostName) {

  /**
   * @throws IllegalArgumentException when the store wants a password and has none
   */
  public Tls {
    if (trustStorePassword == null && !isPem(trustStore)) {
      throw new IllegalArgumentException(
          "a trust store wants a password, or to be a .pem file; got " + trustStore);
    }
  }

  /** A trust store with a password. The array is copied. */
  public static Tls trusting(Path trustStore, char[] password) {
    char[] copy = password.clone();
    return new Tls(trustStore, copy::clone, null);
  }

  /** A trust store whose password is kept elsewhere, as a {@link Secret} is. */
  public static Tls trusting(Path trustStore, Supplier<char[]> password) {
    return new Tls(trustStore, password, null);
  }

  /**
   * A PEM file, which needs no password.
   *
   * @throws IllegalArgumentException when its name says that it is something else
   */
  public static Tls trusting(Path pemFile) {
    return new Tls(pemFile, null, null);
  }

  /** The same for a site whose certificate bears {@code name}. */
  public Tls withSniHostName(String name) {
    return new Tls(trustStore, trustStorePassword, name);
  }

  /** What the trust store is, in Infinispan's words: {@code PKCS12}, {@code JKS} or {@code pem}. */
  public String storeType() {
    return isPem(trustStore) ? "pem" : endsWith(trustStore, ".jks") ? "JKS" : "PKCS12";
  }

  private static boolean isPem(Path file) {
    return endsWith(file, ".pem") || endsWith(file, ".crt");
  }

  private static boolean endsWith(Path file, String ending) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(ending);
  }

  @Override
  public String toString() {
    return "Tls[trustStore=" + trustStore + ", sniHostName=" + sniHostName + "]";
  }
}
