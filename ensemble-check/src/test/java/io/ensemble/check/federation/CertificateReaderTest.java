package io.ensemble.check.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateReaderTest {

  private static final char[] PASSWORD = "hush-hush".toCharArray();
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;

  private static SiteConfiguration at(int port) {
    return SiteConfiguration.builder("lyon").endpoint("127.0.0.1:" + port).build();
  }

  @Test
  void anExpiredCertificateIsReadThoughItIsNotTrusted() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));
    TlsIdentity expired = authority.expiredServer("lyon", List.of("lyon.example"));

    assertThat(presented(expired, false).get(0).getNotAfter()).isInThePast();
  }

  @Test
  void aNodeThatRequiresACertificateOfTheClientHasPresentedItsOwn() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));

    assertThat(presented(authority.server("lyon", List.of("lyon.example")), true)).isNotEmpty();
  }

  private static List<java.security.cert.X509Certificate> presented(
      TlsIdentity identity, boolean needsClient) throws Exception {
    try (SSLServerSocket server =
        (SSLServerSocket)
            identity
                .context(null)
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setNeedClientAuth(needsClient);
      CompletableFuture<Void> accepting =
          CompletableFuture.runAsync(
              () -> {
                try (Socket client = server.accept()) {
                  ((SSLSocket) client).startHandshake();
                } catch (IOException refused) {
                  // The client has none.
                }
              });
      SiteConfiguration site = at(server.getLocalPort());
      var chain = CertificateReader.presented(site, site.endpoints().get(0), LONG);
      accepting.join();
      return chain;
    }
  }

  @Test
  void aNodeInClearTextPresentsNone() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      SiteConfiguration site = at(silent.getLocalPort());

      assertThatThrownBy(
              () ->
                  CertificateReader.presented(
                      site, site.endpoints().get(0), Duration.ofMillis(200)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no TLS handshake");
    }
  }

  @Test
  void certificatesInStoresAndTheDatesOfListsAreRead() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));
    Path trust = directory.resolve("trust.p12");
    Path keys = directory.resolve("keys.p12");
    TlsIdentity.writeTrust(trust, PASSWORD, authority.certificate());
    authority.client("ada").write(keys, PASSWORD);
    Path lists =
        Files.write(
            directory.resolve("sites.crl"),
            authority.revocationList(List.of(), Duration.ofDays(2)));
    Tls tls = Tls.trusting(trust, PASSWORD).withKeyStore(keys, PASSWORD);

    assertThat(CertificateReader.inTrustStore(tls)).containsExactly(authority.certificate());
    assertThat(CertificateReader.inKeyStore(tls))
        .first()
        .satisfies(one -> assertThat(one.getSubjectX500Principal().getName()).contains("ada"));
    assertThat(CertificateReader.completeLists(lists))
        .singleElement()
        .satisfies(
            list ->
                assertThat(list.getNextUpdate().toInstant())
                    .isAfter(Instant.now().plus(Duration.ofDays(1))));
  }

  @Test
  void aListOfChangesIsNoCompleteList() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));
    Path lists =
        Files.write(
            directory.resolve("sites.crl"),
            authority.revocationList(List.of(), Duration.ofDays(2), true));

    assertThat(CertificateReader.completeLists(lists)).isEmpty();
  }

  @Test
  void aStoreThatCannotBeReadIsNamedWithoutItsPassword() throws IOException {
    Path damaged = Files.writeString(directory.resolve("trust.p12"), "no store");

    assertThatThrownBy(() -> CertificateReader.inTrustStore(Tls.trusting(damaged, PASSWORD)))
        .hasMessageContaining(damaged.toString())
        .hasMessageNotContaining("hush");
    assertThatThrownBy(() -> CertificateReader.completeLists(damaged))
        .hasMessageContaining(damaged.toString());
  }
}
