package io.ensemble.check.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTransportTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final List<String> NAMES = List.of("lyon.example");
  private static final char[] PASSWORD = "hush-hush".toCharArray();

  @TempDir Path directory;

  private static void permit(Path file, String permissions) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void aKeyStoreThatEveryUserCanReadIsRefused() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    Path trust = directory.resolve("trust.p12");
    Path keys = directory.resolve("ada.p12");
    TlsIdentity.writeTrust(trust, PASSWORD, authority.certificate());
    authority.client("ada").write(keys, PASSWORD);
    SiteConfiguration site =
        SiteConfiguration.builder("lyon")
            .endpoint("127.0.0.1:11222")
            .tls(Tls.trusting(trust, PASSWORD).withKeyStore(keys, PASSWORD))
            .build();
    permit(directory, "rwxr-xr-x");
    for (Path above = directory.toRealPath(); above != null; above = above.getParent()) {
      assumeTrue(
          Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE),
          "the directory for temporary files is private");
    }

    permit(keys, "rw-r--r--");
    assertThatThrownBy(() -> SiteTransport.to(site))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must not be accessible to every user")
        .hasMessageContaining("file=" + keys);

    permit(keys, "rw-r-----");
    assertThat(SiteTransport.to(site)).isNotNull();
  }

  @Test
  void aNodeWithARevokedCertificateIsRejected() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    TlsIdentity revoked = authority.server("lyon", NAMES);
    Path lists = directory.resolve("sites.crl");
    Files.write(lists, authority.revocationList(List.of(revoked.certificate()), HOUR));
    SiteTransport transport = SiteTransport.to(checkingRevocation(authority, lists));

    handshake(transport, authority.server("lyon", NAMES));
    assertThatThrownBy(() -> handshake(transport, revoked))
        .isInstanceOf(SSLHandshakeException.class)
        .hasStackTraceContaining("Certificate has been revoked");
  }

  @Test
  void aNodeWhoseCertificateHasAnUnknownStatusIsRejected() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    CertificateAuthority other = CertificateAuthority.create("other", HOUR);
    TlsIdentity node = authority.server("lyon", NAMES);
    Path lists = directory.resolve("sites.crl");

    for (byte[] content :
        List.of(
            authority.revocationList(List.of(), HOUR.negated()),
            authority.revocationList(List.of(), HOUR, true),
            other.revocationList(List.of(), HOUR))) {
      Files.write(lists, content);
      SiteTransport transport = SiteTransport.to(checkingRevocation(authority, lists));

      assertThatThrownBy(() -> handshake(transport, node))
          .isInstanceOf(SSLHandshakeException.class)
          .hasStackTraceContaining("Could not determine revocation status");
    }
  }

  /** The JDK would fetch it from the address in the certificate, on a thread of the client. */
  @Test
  void noListIsFetchedFromTheAddressInACertificate() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    byte[] current = authority.revocationList(List.of(), HOUR);
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, current.length);
          exchange.getResponseBody().write(current);
          exchange.close();
        });
    server.start();
    try {
      URI address = URI.create("http://127.0.0.1:%d/l".formatted(server.getAddress().getPort()));
      TlsIdentity node = authority.serverWithListAt("lyon", NAMES, address);
      Path lists = directory.resolve("sites.crl");
      for (byte[] content :
          List.of(
              authority.revocationList(List.of(), HOUR.negated()),
              authority.revocationList(List.of(), HOUR, true),
              CertificateAuthority.create("test", HOUR).revocationList(List.of(), HOUR))) {
        Files.write(lists, content);
        SiteTransport transport = SiteTransport.to(checkingRevocation(authority, lists));

        assertThatThrownBy(() -> handshake(transport, node))
            .isInstanceOf(SSLHandshakeException.class)
            .hasStackTraceContaining("Could not determine revocation status");
      }
      Files.write(lists, current);
      handshake(SiteTransport.to(checkingRevocation(authority, lists)), node);
    } finally {
      server.stop(0);
    }
    assertThat(requests).hasValue(0);
  }

  @Test
  void changedRevocationListsTakeEffectAndInvalidOnesDoNot() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    TlsIdentity node = authority.server("lyon", NAMES);
    Path lists = directory.resolve("sites.crl");
    Files.write(lists, authority.revocationList(List.of(), HOUR));
    SiteTransport transport = SiteTransport.to(checkingRevocation(authority, lists));
    handshake(transport, node);

    Files.writeString(lists, "no lists");
    handshake(transport, node);

    Files.write(lists, authority.revocationList(List.of(node.certificate()), HOUR));
    assertThatThrownBy(() -> handshake(transport, node)).isInstanceOf(SSLHandshakeException.class);
  }

  @Test
  void invalidRevocationListsAreReportedWithTheirFile() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    for (String content : List.of("", "no lists")) {
      Path lists = Files.writeString(directory.resolve("sites.crl"), content);
      SiteConfiguration site = checkingRevocation(authority, lists);

      assertThatThrownBy(() -> SiteTransport.to(site))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the revocation lists cannot be used: " + lists);
    }
  }

  /** Another authority's node, and one with another name, are rejected as without lists. */
  @Test
  void revocationListsReplaceNoOtherCheck() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", HOUR);
    CertificateAuthority impostor = CertificateAuthority.create("test", HOUR);
    Path lists = directory.resolve("sites.crl");
    Files.write(lists, authority.revocationList(List.of(), HOUR));
    SiteTransport transport = SiteTransport.to(checkingRevocation(authority, lists));

    for (TlsIdentity node :
        List.of(
            impostor.server("lyon", NAMES),
            authority.server("oslo", List.of("oslo.example")),
            authority.expiredServer("lyon", NAMES))) {
      assertThatThrownBy(() -> handshake(transport, node))
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  private SiteConfiguration checkingRevocation(CertificateAuthority authority, Path lists)
      throws IOException {
    Path trust = directory.resolve("trust.p12");
    TlsIdentity.writeTrust(trust, PASSWORD, authority.certificate());
    return SiteConfiguration.builder("lyon")
        .endpoint("127.0.0.1:11222")
        .tls(
            Tls.trusting(trust, PASSWORD).withSniHostName("lyon.example").withRevocationList(lists))
        .build();
  }

  /** Connects to a node with that certificate; fails as the client's handshake does. */
  private static void handshake(SiteTransport transport, TlsIdentity node) throws Exception {
    try (ServerSocket listening =
        node.context(null)
            .getServerSocketFactory()
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Endpoint endpoint = new Endpoint("127.0.0.1", listening.getLocalPort());
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(
              () -> {
                try (SSLSocket accepted = (SSLSocket) listening.accept()) {
                  accepted.startHandshake();
                } catch (IOException e) {
                  // The client reports why.
                }
              });
      try (Socket plain = new Socket(endpoint.host(), endpoint.port());
          Socket secured = transport.over(plain, endpoint)) {
        assertThat(secured.isConnected()).isTrue();
      } finally {
        served.get(60, TimeUnit.SECONDS);
      }
    }
  }
}
