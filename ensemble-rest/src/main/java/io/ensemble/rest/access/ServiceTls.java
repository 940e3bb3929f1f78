package io.ensemble.rest.access;

import java.nio.file.Path;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.2 or 1.3 of the service itself.
 *
 * @param trust the authorities of clients' certificates; empty if no certificate is requested
 * @param needed whether a client without a certificate is rejected in the handshake
 */
public record ServiceTls(PrivateKeySource keys, Optional<Path> trust, boolean needed) {

  /** How long a client may continue a session without presenting its certificate again. */
  private static final int SESSION_SECONDS = 600;

  /**
   * When the first certificate of the chain of the service expires, read from its files; null if
   * they have no key, and the service cannot start.
   *
   * @throws IllegalArgumentException if the files are invalid; the message names the file
   */
  @Nullable Instant expires() {
    KeyStore store = keys.store();
    try {
      Instant first = null;
      for (String alias : Collections.list(store.aliases())) {
        Certificate[] chain = store.getCertificateChain(alias);
        for (Certificate one : chain == null ? new Certificate[0] : chain) {
          Instant end = ((X509Certificate) one).getNotAfter().toInstant();
          first = first == null || end.isBefore(first) ? end : first;
        }
      }
      return first;
    } catch (KeyStoreException e) {
      throw new AssertionError("the store was loaded", e);
    }
  }

  /**
   * The configuration for Jetty; reads the files.
   *
   * @throws IllegalArgumentException if the files are invalid; the message names the file
   */
  public SslContextFactory.Server factory() {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    char[] keyPassword = keys.keyPassword();
    factory.setKeyStore(keys.store());
    factory.setKeyStorePassword(new String(keyPassword));
    factory.setKeyManagerPassword(new String(keyPassword));
    factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    factory.setRenegotiationAllowed(false);
    factory.setSniRequired(false);
    factory.setSslSessionTimeout(SESSION_SECONDS);
    trust.ifPresent(
        file -> {
          factory.setTrustStore(Pem.loadTrustStore(file));
          factory.setWantClientAuth(!needed);
          factory.setNeedClientAuth(needed);
        });
    return factory;
  }
}
