package io.ensemble.testkit.embedded;

import io.ensemble.testkit.keys.TlsIdentity;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.infinispan.server.core.security.SubjectUserInfo;
import org.infinispan.server.core.security.sasl.AuthorizingCallbackHandler;
import org.infinispan.server.core.security.sasl.SaslAuthenticator;
import org.infinispan.server.core.security.sasl.SubjectSaslServer;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;
import org.jspecify.annotations.Nullable;
import org.wildfly.security.sasl.external.ExternalSaslServerFactory;

/**
 * TLS with a given certificate, which may be an invalid one.
 *
 * @param server the certificate that the servers present
 * @param clients the authority that signs the certificates of clients. Each client must then
 *     present one, and its user is the subject of the certificate (SASL EXTERNAL). Null to admit
 *     any client
 */
public record EmbeddedTls(TlsIdentity server, @Nullable X509Certificate clients)
    implements EmbeddedSecurity {

  void applyTo(HotRodServerConfigurationBuilder configuration) {
    configuration
        .ssl()
        .enable()
        .sslContext(server.context(clients))
        .requireClientAuth(clients != null);
    if (clients != null) {
      configuration
          .authentication()
          .enable()
          .sasl()
          .authenticator(new CertificateAuthenticator())
          .serverName("infinispan")
          .addMechanisms("EXTERNAL")
          .addQOP("auth");
    }
  }

  private static final class CertificateAuthenticator implements SaslAuthenticator {

    @Override
    public SaslServer createSaslServer(
        String mechanism,
        List<Principal> principals,
        String protocol,
        String serverName,
        Map<String, String> properties)
        throws SaslException {
      CertificatePrincipals known = new CertificatePrincipals(List.copyOf(principals));
      SaslServer server =
          new ExternalSaslServerFactory()
              .createSaslServer(mechanism, protocol, serverName, properties, known);
      if (server == null) {
        throw new SaslException("mechanism not offered: " + mechanism);
      }
      return new SubjectSaslServer(server, principals, known);
    }
  }

  /** The principals that the TLS handshake has proved. */
  private record CertificatePrincipals(List<Principal> principals)
      implements AuthorizingCallbackHandler {

    @Override
    public void handle(Callback[] callbacks) {
      for (Callback callback : callbacks) {
        if (callback instanceof AuthorizeCallback authorize && !principals.isEmpty()) {
          authorize.setAuthorized(true);
          authorize.setAuthorizedID(principals.get(0).getName());
        }
      }
    }

    @Override
    public SubjectUserInfo getSubjectUserInfo(Collection<Principal> shown) {
      return new CertificateUser(
          principals, new Subject(true, Set.copyOf(principals), Set.of(), Set.of()));
    }
  }

  private record CertificateUser(List<Principal> principals, Subject subject)
      implements SubjectUserInfo {
    @Override
    public String getUserName() {
      return principals.get(0).getName();
    }

    @Override
    public Collection<Principal> getPrincipals() {
      return principals;
    }

    @Override
    public Subject getSubject() {
      return subject;
    }
  }
}
