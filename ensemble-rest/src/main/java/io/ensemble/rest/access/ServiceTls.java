package io.ensemble.rest.access;

import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.jetty.util.ssl.SslContextFactory;

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
