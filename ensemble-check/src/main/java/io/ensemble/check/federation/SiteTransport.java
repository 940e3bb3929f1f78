package io.ensemble.check.federation;

import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SecretFiles;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
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
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The transport to a site's nodes: clear text, or TLS as the site's configuration requires. */
interface SiteTransport {

  /** In clear text. */
  SiteTransport CLEAR = (plain, endpoint) -> plain;

  /**
   * Returns the socket to use over a connection to {@code endpoint}; does the TLS handshake.
   *
   * @throws IOException if the certificate of the node is not accepted
   */
  Socket over(Socket plain, Endpoint endpoint) throws IOException;

  /**
   * The transport to a site.
   *
   * @throws IOException if its trust store or key store cannot be used
   * @throws IllegalStateException if every user can read or change its key store, or the file of a
   *     password
   */
  static SiteTransport to(SiteConfiguration site) throws IOException {
    Tls tls = site.tls();
    if (tls == null) {
      return CLEAR;
    }
    SSLContext context = trusting(tls);
    String message = tls.sniHostName();
    String name = message == null ? site.endpoints().get(0).host() : message;
    return (plain, endpoint) -> {
      SSLSocket secured =
          (SSLSocket) context.getSocketFactory().createSocket(plain, name, endpoint.port(), true);
      SSLParameters parameters = secured.getSSLParameters();
      // The certificate must contain the name; without this setting any accepted certificate would
      // do.
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secured.setSSLParameters(parameters);
      secured.startHandshake();
      return secured;
    };
  }

  private static SSLContext trusting(Tls tls) throws IOException {
    SSLContext context = context();
    KeyManager[] keys = keys(tls);
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store(tls.trustStore(), tls.storeType(), tls.trustStorePassword()));
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IOException(
          "the trust store cannot be used: " + tls.trustStore() + ": " + e.getMessage(), e);
    }
  }

  private static SSLContext context() {
    try {
      return SSLContext.getInstance("TLS");
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK supports TLS", e);
    }
  }

  private static KeyManager @Nullable [] keys(Tls tls) throws IOException {
    Path file = tls.keyStore();
    Supplier<char[]> password = tls.keyStorePassword();
    if (file == null || password == null) {
      return null;
    }
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store(SecretFiles.check(file), Tls.storeType(file), password), password.get());
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
