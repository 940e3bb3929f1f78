package io.ensemble.testkit.site;

import static io.ensemble.testkit.site.SiteStoreContract.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.EmbeddedTls;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sites that require a client certificate, and sites whose certificate the client rejects. */
@Timeout(240)
class SiteTlsIT {

  private static final Duration LIFE = Duration.ofDays(2);
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final char[] PASSWORD = "hush-hush".toCharArray();
  private static final List<String> NAMES = List.of("lyon.example", "127.0.0.1");

  @TempDir private static Path directory;

  private static final CertificateAuthority AUTHORITY =
      CertificateAuthority.create("federation", LIFE);
  private static final CertificateAuthority OTHER = CertificateAuthority.create("federation", LIFE);
  private static final ThreadScheduler SCHEDULER = new ThreadScheduler();
  private static final TlsIdentity LYON = AUTHORITY.server("lyon", NAMES);
  private static EmbeddedFederation mutual;
  private static EmbeddedFederation expired;

  @BeforeAll
  static void start() throws IOException {
    mutual = started(new EmbeddedTls(LYON, AUTHORITY.certificate()));
    expired = started(new EmbeddedTls(AUTHORITY.expiredServer("lyon", NAMES), null));
    TlsIdentity.writeTrust(file("trust.p12"), PASSWORD, AUTHORITY.certificate());
    TlsIdentity.writeTrust(file("other-trust.p12"), PASSWORD, OTHER.certificate());
    AUTHORITY.client("ada").write(file("ada.p12"), PASSWORD);
    OTHER.client("ada").write(file("other-ada.p12"), PASSWORD);
    AUTHORITY.server("ada", NAMES).write(file("server-ada.p12"), PASSWORD);
  }

  @AfterAll
  static void stop() {
    mutual.close();
    expired.close();
    SCHEDULER.close();
  }

  private static EmbeddedFederation started(EmbeddedTls security) {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults()
            .withSiteNames("lyon")
            .withNodesPerSite(1)
            .withSecurity(security));
  }

  private static Path file(String name) {
    return directory.resolve(name);
  }

  private static Tls tls(String trust, @Nullable String key) {
    Tls tls = Tls.trusting(file(trust), PASSWORD).withSniHostName("lyon.example");
    return key == null ? tls : tls.withKeyStore(file(key), PASSWORD);
  }

  private static SiteConfiguration ours(Tls tls) {
    return configuration(mutual, tls).credentials(Credentials.ofCertificate()).build();
  }

  private static SiteConfiguration.Builder configuration(EmbeddedFederation at, Tls tls) {
    EmbeddedSite site = at.sites().get(0);
    return EmbeddedSiteConfigurations.of(site).tls(tls);
  }

  @Test
  void ourCertificateLetsUsIn() {
    try (BoundedSite site = HotRod.connect(ours(tls("trust.p12", "ada.p12")), SCHEDULER)) {
      SiteStore store =
          RealTimeWait.forStage(site.create("s", StoreKind.ACCEPTOR, in(Duration.ofSeconds(20))));

      assertThat(RealTimeWait.forStage(store.putIfAbsent(bytes("k"), bytes("v"), in(LONGEST))))
          .isTrue();
    }
  }

  @Test
  void withoutACertificateNobodyIsLetIn() {
    refused(configuration(mutual, tls("trust.p12", null)).build());
  }

  @Test
  void aCertificateThatAnotherAuthoritySignedIsRefused() {
    refused(ours(tls("trust.p12", "other-ada.p12")));
  }

  @Test
  void aServersCertificateIsNoClients() {
    refused(ours(tls("trust.p12", "server-ada.p12")));
  }

  @Test
  void aSiteOfAnotherAuthorityIsNotTrustedThoughItBearsTheSameName() {
    refused(ours(tls("other-trust.p12", "ada.p12")), "SSLHandshakeException");
  }

  @Test
  void aSiteWhoseCertificateBearsAnotherNameIsNotTrusted() {
    refused(ours(tls("trust.p12", "ada.p12").withSniHostName("oslo.example")), "oslo.example");
  }

  @Test
  void aSiteWhoseCertificateHasEndedIsNotTrusted() {
    refused(configuration(expired, tls("trust.p12", null)).build(), "NotAfter");
  }

  @Test
  void aSiteWhoseCertificateIsRevokedIsNotTrusted() throws IOException {
    Path lists = file("sites.crl");
    SiteConfiguration checked = ours(tls("trust.p12", "ada.p12").withRevocationList(lists));

    Files.write(lists, AUTHORITY.revocationList(List.of(), LIFE));
    assertThat(failure(checked).reason()).isEqualTo(Reason.STORE_LOST); // A site lets us in.
    Files.write(lists, AUTHORITY.revocationList(List.of(LYON.certificate()), LIFE));
    refused(checked, "Certificate has been revoked");
    Files.writeString(lists, "no lists");
    refused(checked, "the revocation lists cannot be used: " + lists);
  }

  @Test
  void aWrongPasswordOfAStoreIsToldWithoutThePassword() {
    Tls tls =
        Tls.trusting(file("trust.p12"), "wrong-hush".toCharArray()).withSniHostName("lyon.example");

    SiteException refused = failure(configuration(expired, tls).build());

    assertThat(refused)
        .hasMessageContaining("the configured trust store or key store cannot be used")
        .hasMessageContaining("password was incorrect")
        .hasMessageContaining("site=lyon");
    assertThat(refused.reason()).isEqualTo(Reason.NOT_ALLOWED);
    assertThat(refused.toString()).doesNotContain("hush");
  }

  @Test
  void whatIsNotAllowedIsNotConnectedTo() {
    SiteConfiguration elsewhere =
        ours(tls("trust.p12", "ada.p12")).within(AddressPolicy.allowing("0.0.0.0/0:*"));

    refused(elsewhere, "the address is loopback");
  }

  @Test
  void whatIsAllowedIs() {
    SiteConfiguration here =
        ours(tls("trust.p12", "ada.p12")).within(AddressPolicy.allowing("127.0.0.1/32:*"));

    assertThat(failure(here).reason()).isEqualTo(Reason.STORE_LOST);
  }

  private static void refused(SiteConfiguration site, String... told) {
    SiteException refused = failure(site);

    assertThat(refused.reason()).as("%s", refused).isEqualTo(Reason.NOT_ALLOWED);
    assertThat(refused).hasMessageContaining("site=lyon");
    assertThat(refused.toString()).doesNotContain("hush");
    assertThat(List.of(told)).allSatisfy(text -> assertThat(refused).hasMessageContaining(text));
  }

  private static SiteException failure(SiteConfiguration site) {
    try (BoundedSite asked = HotRod.connect(site, SCHEDULER)) {
      return catchThrowableOfType(
          SiteException.class,
          () -> RealTimeWait.forStage(asked.open("none", StoreKind.PLAIN, in(LONGEST))));
    }
  }

  private static Deadline in(Duration longest) {
    return Deadline.after(longest, SCHEDULER);
  }
}
