package io.ensemble.site.hotrod.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.CertificateExpiry.Kind;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When certificates and lists of a site expire, read from servers and files. */
@Timeout(120)
class SiteCertificatesTest {

  private static final Duration LIFE = Duration.ofDays(40);
  private static final char[] PASSWORD = "hush-hush".toCharArray();
  private static final List<String> NAMES = List.of("lyon.example");

  private final CertificateAuthority authority = CertificateAuthority.create("test", LIFE);

  @TempDir Path directory;

  /** A server that shakes hands and reads until the client leaves. */
  private static final class TlsServer implements AutoCloseable {

    private final SSLServerSocket socket;
    private final Thread thread = new Thread(this::serve, "tls-server");

    TlsServer(TlsIdentity identity, @Nullable X509Certificate clients) throws IOException {
      socket =
          (SSLServerSocket)
              identity
                  .context(clients)
                  .getServerSocketFactory()
                  .createServerSocket(0, 8, InetAddress.getLoopbackAddress());
      socket.setNeedClientAuth(clients != null);
      thread.start();
    }

    private void serve() {
      while (!socket.isClosed()) {
        try (SSLSocket client = (SSLSocket) socket.accept()) {
          client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException rejected) {
          // The client did not accept the certificate, or the test is over.
        }
      }
    }

    String endpoint() {
      return "127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private Tls tls() throws IOException {
    Path trust = directory.resolve("trust.p12");
    TlsIdentity.writeTrust(trust, PASSWORD, authority.certificate());
    return Tls.trusting(trust, PASSWORD).withSniHostName("lyon.example");
  }

  private static SiteConfiguration site(Tls tls, String... endpoints) {
    SiteConfiguration.Builder builder = SiteConfiguration.builder("lyon").tls(tls);
    List.of(endpoints).forEach(builder::endpoint);
    return builder.build();
  }

  private static List<CertificateExpiry> read(SiteConfiguration site) {
    return read(site, Duration.ofMinutes(1));
  }

  private static List<CertificateExpiry> read(SiteConfiguration site, Duration longestHandshake) {
    try (ThreadScheduler scheduler = new ThreadScheduler()) {
      return SiteCertificates.read(
          site,
          site.tls(),
          scheduler,
          Deadline.after(Duration.ofMinutes(2), scheduler),
          longestHandshake);
    }
  }

  @Test
  void eachNodeShowsWhatItPresentsNow() throws Exception {
    TlsIdentity present = authority.server("lyon", NAMES);
    TlsIdentity past = authority.expiredServer("lyon", NAMES);
    try (TlsServer one = new TlsServer(present, null);
        TlsServer other = new TlsServer(past, null)) {
      assertThat(read(site(tls(), one.endpoint(), other.endpoint())))
          .containsExactly(
              new CertificateExpiry(
                  Kind.SERVER, one.endpoint(), present.certificate().getNotAfter().toInstant()),
              new CertificateExpiry(
                  Kind.SERVER, other.endpoint(), past.certificate().getNotAfter().toInstant()));
      assertThat(past.certificate().getNotAfter()).isInThePast();
    }
  }

  @Test
  void aClientCertificateAndListsAreReadFromTheirFiles() throws Exception {
    TlsIdentity ada = authority.client("ada");
    Path key = directory.resolve("ada.p12");
    ada.write(key, PASSWORD);
    Path lists = directory.resolve("sites.crl");
    Files.write(lists, authority.revocationList(List.of(), Duration.ofDays(3)));
    TlsIdentity lyon = authority.server("lyon", NAMES);
    try (TlsServer server = new TlsServer(lyon, authority.certificate())) {
      SiteConfiguration site =
          site(tls().withKeyStore(key, PASSWORD).withRevocationList(lists), server.endpoint());

      List<CertificateExpiry> found = read(site);

      assertThat(found)
          .extracting(CertificateExpiry::kind)
          .containsExactly(Kind.CLIENT, Kind.REVOCATION_LIST, Kind.SERVER);
      assertThat(found)
          .extracting(CertificateExpiry::source)
          .containsExactly(key.toString(), lists.toString(), server.endpoint());
      assertThat(found.get(0).expires()).isEqualTo(ada.certificate().getNotAfter().toInstant());
      assertThat(found.get(1).expires())
          .isBetween(
              Instant.now().plus(Duration.ofDays(2)), Instant.now().plus(Duration.ofDays(3)));
      assertThat(found.get(2).expires()).isEqualTo(lyon.certificate().getNotAfter().toInstant());
    }
  }

  @Test
  void aNewerListReplacesAnOlderOneOfItsIssuer() throws Exception {
    CertificateAuthority second = CertificateAuthority.create("second", LIFE);
    List<X509CRL> lists = new ArrayList<>();
    for (byte[] list :
        List.of(
            authority.revocationList(List.of(), Duration.ofDays(1)),
            authority.revocationList(List.of(), Duration.ofDays(9)),
            second.revocationList(List.of(), Duration.ofDays(5)),
            second.revocationList(List.of(), Duration.ofDays(8), true))) {
      lists.addAll(RevocationTrustManager.parse(list));
    }

    assertThat(SiteCertificates.nextUpdate(lists))
        .as("a list of changes does not replace a complete one")
        .isEqualTo(lists.get(2).getNextUpdate().toInstant());
    assertThat(SiteCertificates.nextUpdate(List.of())).isNull();
  }

  @Test
  void aNodeThatDoesNotAnswerAndAFileThatIsMissingAreUnknown() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String endpoint = "127.0.0.1:" + silent.getLocalPort();
      Path missing = directory.resolve("missing.p12");

      SiteConfiguration site = site(tls().withKeyStore(missing, PASSWORD), endpoint);

      assertThat(read(site, Duration.ofMillis(200)))
          .as("the server accepts and says nothing")
          .containsExactly(
              new CertificateExpiry(Kind.CLIENT, missing.toString(), null),
              new CertificateExpiry(Kind.SERVER, endpoint, null));
    }
  }

  @Test
  void anAddressThatIsNotAllowedIsNotAsked() throws Exception {
    try (TlsServer server = new TlsServer(authority.server("lyon", NAMES), null)) {
      SiteConfiguration site =
          site(tls(), server.endpoint()).within(AddressPolicy.allowing("0.0.0.0/0:*"));

      assertThat(read(site))
          .containsExactly(new CertificateExpiry(Kind.SERVER, server.endpoint(), null));
    }
  }
}
