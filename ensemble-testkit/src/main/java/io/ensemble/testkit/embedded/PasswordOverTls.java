package io.ensemble.testkit.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;
import org.wildfly.security.x500.GeneralName;
import org.wildfly.security.x500.cert.SelfSignedX509CertificateAndSigningKey;
import org.wildfly.security.x500.cert.SubjectAlternativeNamesExtension;

/** A password inside TLS; see {@link EmbeddedSecurity#passwordOverTls}. Immutable. */
public final class PasswordOverTls implements EmbeddedSecurity {
  private static final String STORE_PASSWORD = "ensemble";
  private static final String[] MECHANISMS = {"SCRAM-SHA-512", "SCRAM-SHA-256", "DIGEST-SHA-256"};

  private final String user;
  private final String password;
  private final Path trustStore;
  private final SSLContext clientContext;
  private final SSLContext serverContext;

  private PasswordOverTls(
      String user,
      String password,
      Path trustStore,
      SSLContext clientContext,
      SSLContext serverContext) {
    this.user = user;
    this.password = password;
    this.trustStore = trustStore;
    this.clientContext = clientContext;
    this.serverContext = serverContext;
  }

  static PasswordOverTls create(String user, String password, Path directory) {
    SelfSignedX509CertificateAndSigningKey identity =
        SelfSignedX509CertificateAndSigningKey.builder()
            .setDn(new X500Principal("CN=localhost"))
            .setKeyAlgorithmName("RSA")
            .setSignatureAlgorithmName("SHA256withRSA")
            .addExtension(
                new SubjectAlternativeNamesExtension(
                    false,
                    List.of(
                        new GeneralName.DNSName("localhost"),
                        new GeneralName.IPAddress("127.0.0.1"))))
            .build();
    Path trustStore = directory.resolve("ensemble-trust.p12");
    try {
      KeyStore trusted = emptyStore();
      trusted.setCertificateEntry("server", identity.getSelfSignedCertificate());
      try (OutputStream out = Files.newOutputStream(trustStore)) {
        trusted.store(out, STORE_PASSWORD.toCharArray());
      }
      return new PasswordOverTls(
          user, password, trustStore, clientContext(trusted), serverContext(identity));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("cannot make a certificate; directory=" + directory, e);
    }
  }

  private static SSLContext clientContext(KeyStore trusted) throws GeneralSecurityException {
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static SSLContext serverContext(SelfSignedX509CertificateAndSigningKey identity)
      throws GeneralSecurityException, IOException {
    KeyStore keys = emptyStore();
    Certificate[] chain = {identity.getSelfSignedCertificate()};
    keys.setKeyEntry("server", identity.getSigningKey(), STORE_PASSWORD.toCharArray(), chain);
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, STORE_PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  /** The one user of the sites. */
  public String user() {
    return user;
  }

  /** That user's password. */
  public String password() {
    return password;
  }

  /** The PKCS12 file with the certificate that clients must accept. */
  public Path trustStore() {
    return trustStore;
  }

  /** The password of {@link #trustStore()}. */
  public String trustStorePassword() {
    return STORE_PASSWORD;
  }

  /**
   * An SSL context that accepts the certificate of the sites. A client with this context closes
   * faster than a client that reads the file.
   */
  public SSLContext clientContext() {
    return clientContext;
  }

  void applyTo(HotRodServerConfigurationBuilder server) {
    server.ssl().enable().sslContext(serverContext);
    server
        .authentication()
        .enable()
        .sasl()
        .authenticator(new PasswordAuthenticator(user, password))
        .serverName("infinispan") // the default of clients; DIGEST compares it
        .addMechanisms(MECHANISMS)
        .addQOP("auth");
  }
}
