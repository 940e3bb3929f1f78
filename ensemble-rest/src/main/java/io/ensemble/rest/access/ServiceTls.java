package io.ensemble.rest.access;

import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * TLS 1.2 or 1.3 of the service itself.
 *
 * @param trust whose certificates clients may show; empty if none are asked for
 * @param needed whether a client without one is turned away before it can say anything
 */
public record ServiceTls(PrivateKeySource keys, Optional<Path> trust, boolean needed) {

  /** For how long a client may go on without showing its certificate anew. */
  private static final int SESSION_SECONDS = 600;

  /**
   * As Jetty takes it; reads the files.
   *
   * @throws IllegalArgumentException if they do not hold what they should, naming the file
   */
  public SslContextFactory.Server factory() {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    char[] passing = keys.passing();
    factory.setKeyStore(keys.store());
    factory.setKeyStorePassword(new String(passing));
    factory.setKeyManagerPassword(new String(passing));
    factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    factory.setRenegotiationAllowed(false);
    factory.setSniRequired(false);
    factory.setSslSessionTimeout(SESSION_SECONDS);
    trust.ifPresent(
        file -> {
          factory.setTrustStore(Pem.trusted(file));
          factory.setWantClientAuth(!needed);
          factory.setNeedClientAuth(needed);
        });
    return factory;
  }
}
