package io.ensemble.site.hotrod.configuration;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a site authenticates to this process, and this process to a site that requires a client
 * certificate. Never reveals a password.
 *
 * @param trustStore a PKCS12 or JKS store (by the file name extension, PKCS12 for an unknown one)
 *     or a PEM file of the trusted certificates
 * @param trustStorePassword of the store; null for PEM
 * @param keyStore a PKCS12 or JKS store of the client key and certificate; null for none
 * @param keyStorePassword of that store and its key; null without one
 * @param sniHostName the name that the site's certificate must have; null for the name of its first
 *     endpoint
 * @param revocationList a file with the current revocation list of each authority of the site's
 *     certificates, in PEM or DER; null if revocation is not checked
 */
public record Tls(
    Path trustStore,
    @Nullable Supplier<char[]> trustStorePassword,
    @Nullable Path keyStore,
    @Nullable Supplier<char[]> keyStorePassword,
    @Nullable String sniHostName,
    @Nullable Path revocationList) {

  /**
   * @throws IllegalArgumentException when a store lacks its required password, or the client key is
   *     in a PEM file
   */
  public Tls {
    if (trustStorePassword == null && !isPem(trustStore)) {
      throw new IllegalArgumentException(
          "trust store must have a password, or be a .pem file; got " + trustStore);
    }
    if ((keyStore == null) != (keyStorePassword == null)) {
      throw new IllegalArgumentException("a key store requires its password; got " + keyStore);
    }
    if (keyStore != null && isPem(keyStore)) {
      throw new IllegalArgumentException("key store must be PKCS12 or JKS; got " + keyStore);
    }
  }

  /** Without a client certificate. */
  public Tls(
      Path trustStore,
      @Nullable Supplier<char[]> trustStorePassword,
      @Nullable String sniHostName) {
    this(trustStore, trustStorePassword, null, null, sniHostName, null);
  }

  /** A trust store with a password. The array is copied. */
  public static Tls trusting(Path trustStore, char[] password) {
    char[] copy = password.clone();
    return new Tls(trustStore, copy::clone, null);
  }

  /** A trust store with a password from a supplier, such as a {@link Secret}. */
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

  /** These settings for a site with a certificate for {@code name}. */
  public Tls withSniHostName(String name) {
    return new Tls(
        trustStore, trustStorePassword, keyStore, keyStorePassword, name, revocationList);
  }

  /** These settings for a site that requires a client certificate. The array is copied. */
  public Tls withKeyStore(Path store, char[] password) {
    char[] copy = password.clone();
    return withKeyStore(store, copy::clone);
  }

  /**
   * These settings for a site that requires a client certificate, with a password from a supplier,
   * such as a {@link Secret}.
   */
  public Tls withKeyStore(Path store, Supplier<char[]> password) {
    return new Tls(trustStore, trustStorePassword, store, password, sniHostName, revocationList);
  }

  /**
   * These settings, and only nodes whose certificates are not revoked. The file has the current
   * revocation list of each authority in the chain of the site's certificates, one or several, in
   * PEM or DER. It is read when a client is set up, and again for a new connection after it has
   * changed; invalid content then leaves the former lists in force. A certificate whose status is
   * unknown is rejected: without a list of its issuer, or when that list has expired. Connections
   * that exist stay.
   */
  public Tls withRevocationList(Path lists) {
    return new Tls(trustStore, trustStorePassword, keyStore, keyStorePassword, sniHostName, lists);
  }

  /**
   * The type of the trust store, in Infinispan's words: {@code PKCS12}, {@code JKS} or {@code pem}.
   */
  public String storeType() {
    return isPem(trustStore) ? "pem" : storeType(trustStore);
  }

  /** The type of a key store: {@code PKCS12} or {@code JKS}. */
  public static String storeType(Path store) {
    return endsWith(store, ".jks") ? "JKS" : "PKCS12";
  }

  private static boolean isPem(Path file) {
    return endsWith(file, ".pem") || endsWith(file, ".crt");
  }

  private static boolean endsWith(Path file, String ending) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(ending);
  }

  @Override
  public String toString() {
    return "Tls[trustStore=%s, keyStore=%s, sniHostName=%s, revocationList=%s]"
        .formatted(trustStore, keyStore, sniHostName, revocationList);
  }
}
