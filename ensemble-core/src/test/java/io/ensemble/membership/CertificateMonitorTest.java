package io.ensemble.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.RecordingLogger;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.CertificateExpiry.Kind;
import io.ensemble.site.SiteException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is left of certificates is shown, and reported before nothing is left. */
class CertificateMonitorTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> lines = new ArrayList<>();
  private final StubSite lyon = new StubSite("lyon");
  private final CertificateMonitor monitor =
      new CertificateMonitor(
          SiteDirectory.of(Map.of("lyon", lyon)), scheduler, registry, new RecordingLogger(lines));

  private static CertificateExpiry of(Kind kind, String source, @Nullable Duration sinceEpoch) {
    return new CertificateExpiry(
        kind, source, sinceEpoch == null ? null : Instant.EPOCH.plus(sinceEpoch));
  }

  private double days(String certificate) {
    return registry
            .get("ensemble.certificate.remaining")
            .tags("site", "lyon", "certificate", certificate)
            .gauge()
            .value()
        / DAY.toSeconds();
  }

  private void shows(CertificateExpiry... certificates) {
    lyon.certificates = List.of(certificates);
    scheduler.advance(CertificateMonitor.INTERVAL.plus(CertificateMonitor.LOOK));
  }

  @Test
  void theFirstToExpireOfEachKindIsShownAndWarnedOf() {
    monitor.start();

    shows(
        of(Kind.SERVER, "a:1", DAY.multipliedBy(90)),
        of(Kind.SERVER, "b:1", DAY.multipliedBy(20)),
        of(Kind.CLIENT, "key.p12", DAY.multipliedBy(50)),
        of(Kind.REVOCATION_LIST, "sites.crl", DAY.multipliedBy(15)));

    assertThat(days("server")).isBetween(19.9, 20.0);
    assertThat(days("client")).isBetween(49.9, 50.0);
    assertThat(days("revocation_list")).isBetween(14.9, 15.0);
    assertThat(lines).isEmpty();

    scheduler.advance(DAY.multipliedBy(14).minus(Duration.ofHours(1)));
    assertThat(lines.stream().filter(line -> line.contains("sites.crl")))
        .as("more than a day is left")
        .isEmpty();
    scheduler.advance(Duration.ofHours(2));
    assertThat(lines.stream().filter(line -> line.contains("sites.crl")))
        .containsExactly(
            "WARN a certificate or revocation list expires soon; site=lyon"
                + " certificate=revocation_list source=sites.crl expires=1970-01-16T00:00:00Z");
    scheduler.advance(DAY.multipliedBy(3));
    assertThat(days("revocation_list")).isNegative();
    assertThat(lines.stream().filter(line -> line.contains("sites.crl"))).hasSize(3);
    assertThat(lines.stream().filter(line -> line.contains("has expired: new connections fail")))
        .hasSize(1);
    assertThat(lines.stream().filter(line -> line.contains("b:1")))
        .as("soon, very soon")
        .hasSize(2);
  }

  @Test
  void aRenewedCertificateIsSeenWithinTenMinutes() {
    monitor.start();
    shows(of(Kind.SERVER, "a:1", DAY));
    assertThat(lines).singleElement().asString().contains("expires soon");

    shows(of(Kind.SERVER, "a:1", DAY.multipliedBy(90)));

    assertThat(days("server")).isGreaterThan(89);
    assertThat(lines).last().asString().startsWith("INFO").contains("was renewed", "source=a:1");
  }

  @Test
  void aNodeThatDoesNotAnswerKeepsWhatItShowedBefore() {
    monitor.start();
    shows(of(Kind.SERVER, "a:1", DAY.multipliedBy(40)));

    shows(of(Kind.SERVER, "a:1", null), of(Kind.SERVER, "b:1", null));
    assertThat(days("server")).isBetween(39.9, 40.0);
    lyon.fails = SiteException.Reason.TIMED_OUT;
    scheduler.advance(DAY);
    assertThat(days("server")).isBetween(38.9, 39.0);

    lyon.fails = null;
    shows(of(Kind.SERVER, "c:1", null)); // The former node belongs to the site no longer.
    assertThat(days("server")).isNaN();
  }

  @Test
  void aSiteWithoutTlsHasNoGauge() {
    monitor.start();

    shows();

    assertThat(registry.getMeters()).isEmpty();
  }
}
