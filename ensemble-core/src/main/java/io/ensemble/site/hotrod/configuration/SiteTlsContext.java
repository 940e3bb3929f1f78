package io.ensemble.site.hotrod.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** The {@link SSLContext} of a client with given {@link Tls} settings. */
public final class SiteTlsContext {

  private SiteTlsContext() {}

  /**
   * Reads the stores, the passwords and the revocation lists.
   *
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalStateException if every user can read or change the key store
   */
  public static SSLContext of(Tls tls) throws IOException {
    return of(keys(tls), trust(tls));
  }

  /**
   * As {@link #of(Tls)}, and {@code observer} receives each chain before it is checked.
   *
   * @throws IOException if a file cannot be used; the message names it
   */
  static SSLContext observed(Tls tls, Consumer<X509Certificate[]> observer) throws IOException {
    X509ExtendedTrustManager checks = (X509ExtendedTrustManager) trust(tls)[0];
    return of(keys(tls), new TrustManager[] {new ObservingTrustManager(checks, observer)});
  }

  private static SSLContext of(KeyManager @Nullable [] keys, TrustManager[] trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK supports TLS", e);
    }
  }

  /** The certificates that {@code tls} trusts. */
  static Set<X509Certificate> trusted(Tls tls) throws IOException {
    return Set.copyOf(List.of(((X509ExtendedTrustManager) trust(tls)[0]).getAcceptedIssuers()));
  }

  private static TrustManager[] trust(Tls tls) throws IOException {
    TrustManager[] trustManagers;
    try {
      KeyStore trusted = store(tls.trustStore(), tls.storeType(), tls.trustStorePassword());
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      trustManagers = factory.getTrustManagers();
    } catch (GeneralSecurityException | IOException e) {
      throw new IOException(
          "the trust store cannot be used: " + tls.trustStore() + ": " + e.getMessage(), e);
    }
    Path lists = tls.revocationList();
    if (lists == null) {
      return trustManagers;
    }
    try {
      return new TrustManager[] {
        RevocationTrustManager.reading(lists, (X509ExtendedTrustManager) trustManagers[0])
      };
    } catch (IllegalArgumentException | UncheckedIOException e) {
      throw new IOException(
          "the revocation lists cannot be used: " + lists + ": " + e.getMessage(), e);
    }
  }

  private static KeyManager @Nullable [] keys(Tls tls) throws IOException {
    Path file = tls.keyStore();
    Supplier<char[]> password = tls.keyStorePassword();
    if (file == null || password == null) {
      return null;
    }
    SecretFiles.check(file);
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store(file, Tls.storeType(file), password), password.get());
      return keys.getKeyManagers();
    } catch (GeneralSecurityException | IOException e) {
      throw new IOException("the key store cannot be used: " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * A store.
   *
   * @param password null for a PEM file
   */
  static KeyStore store(Path file, String type, @Nullable Supplier<char[]> password)
      throws GeneralSecurityException, IOException {
    boolean pem = type.equals("pem");
    KeyStore store = KeyStore.getInstance(pem ? "PKCS12" : type);
    try (InputStream in = Files.newInputStream(file)) {
      if (!pem) {
        store.load(in, password == null ? null : password.get());
        return store;
      }
      store.load(null, null);
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("trusted-" + store.size(), certificate);
      }
      return store;
    }
  }
}
