package io.ensemble.site.hotrod.configuration;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.keys.CertificateAuthority;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which certificates of a chain are looked up. SiteTransportTest has real handshakes. */
class RevocationTrustManagerTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final String RSA = "RSA";

  private final CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
  private final X509Certificate node = authority.server("lyon", List.of("lyon")).certificate();
  private final X509Certificate revoked = authority.server("oslo", List.of("oslo")).certificate();

  @TempDir Path directory;

  private RevocationTrustManager manager() throws Exception {
    Path lists = directory.resolve("lists");
    Files.write(lists, authority.revocationList(List.of(revoked), HOUR));
    return RevocationTrustManager.reading(lists, new TrustsAll(authority.certificate()));
  }

  @Test
  void aRevokedCertificateIsFoundBehindATrustedOne() throws Exception {
    RevocationTrustManager manager = manager();
    X509Certificate trusted = authority.certificate();

    assertThatThrownBy(
            () -> manager.checkServerTrusted(new X509Certificate[] {node, trusted, revoked}, RSA))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("revoked");
    assertThatCode(() -> manager.checkServerTrusted(new X509Certificate[] {node, trusted}, RSA))
        .doesNotThrowAnyException();
  }

  @Test
  void aCertificateOfAnIssuerWithoutAListIsRejected() throws Exception {
    RevocationTrustManager manager = manager();
    X509Certificate stranger =
        CertificateAuthority.create("other", HOUR).server("lyon", List.of("lyon")).certificate();

    assertThatThrownBy(
            () -> manager.checkServerTrusted(new X509Certificate[] {node, stranger}, RSA))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("Could not determine revocation status");
  }

  /** A server whose certificate is revoked by the new key may send the former authority, too. */
  @Test
  void aListOfTheFormerKeyOfAnAuthoritySaysNothing() throws Exception {
    CertificateAuthority renewed = CertificateAuthority.create("test", HOUR);
    X509Certificate newNode = renewed.server("lyon", List.of("lyon")).certificate();
    Path lists = directory.resolve("former");
    Files.write(lists, authority.revocationList(List.of(), HOUR));
    RevocationTrustManager manager =
        RevocationTrustManager.reading(lists, new TrustsAll(renewed.certificate()));
    X509Certificate[] chain = {newNode, authority.certificate()};

    assertThatThrownBy(() -> manager.checkServerTrusted(chain, RSA))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("Could not determine revocation status");

    Files.write(lists, renewed.revocationList(List.of(newNode), HOUR));
    assertThatThrownBy(() -> manager.checkServerTrusted(chain, RSA))
        .hasMessageContaining("revoked");
  }

  /** All other checks pass. */
  private static final class TrustsAll extends X509ExtendedTrustManager {
    private final X509Certificate root;

    TrustsAll(X509Certificate root) {
      this.root = root;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[] {root};
    }
  }
}
