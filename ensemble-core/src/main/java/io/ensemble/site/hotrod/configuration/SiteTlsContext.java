package io.ensemble.site.hotrod.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
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
    KeyManager[] keys = keys(tls);
    TrustManager[] trust = trust(tls);
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK supports TLS", e);
    }
  }

  private static TrustManager[] trust(Tls tls) throws IOException {
    KeyStore trusted;
    TrustManager[] trustManagers;
    try {
      trusted = store(tls.trustStore(), tls.storeType(), tls.trustStorePassword());
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
        RevocationTrustManager.reading(lists, trusted, (X509ExtendedTrustManager) trustManagers[0])
      };
    } catch (GeneralSecurityException | IOException e) {
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

  private static KeyStore store(Path file, String type, @Nullable Supplier<char[]> password)
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
