package io.ensemble.check.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.doctor.CertificateFindings.Certificate;
import io.ensemble.check.doctor.CertificateFindings.RevocationList;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CertificateFindingsTest {

  private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

  private static Certificate ending(Duration in) {
    return new Certificate("CN=site", NOW.minus(Duration.ofDays(400)), NOW.plus(in));
  }

  private static FindingSeverity severity(Duration... ends) {
    return CertificateFindings.of(
            "n",
            "certificate",
            java.util.Arrays.stream(ends).map(CertificateFindingsTest::ending).toList(),
            NOW)
        .severity();
  }

  @Test
  void theCertificateThatEndsFirstCounts() {
    assertThat(severity(Duration.ofDays(30))).isEqualTo(FindingSeverity.OK);
    assertThat(severity(Duration.ofDays(300), Duration.ofDays(29)))
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(severity(Duration.ofDays(300), Duration.ofSeconds(-1)))
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(severity()).isEqualTo(FindingSeverity.WARNING);
  }

  @Test
  void theEndIsNamed() {
    assertThat(
            CertificateFindings.of("n", "certificate", List.of(ending(Duration.ofDays(10))), NOW)
                .seen())
        .isEqualTo("certificate: 'CN=site' ends on 2026-12-07T00:00:00Z, in 10 days");
  }

  @Test
  void aCertificateThatIsNotValidYetIsAnError() {
    Certificate later =
        new Certificate("CN=site", NOW.plusSeconds(60), NOW.plus(Duration.ofDays(99)));

    assertThat(CertificateFindings.of("n", "certificate", List.of(later), NOW).severity())
        .isEqualTo(FindingSeverity.ERROR);
  }

  private static RevocationList list(String issuer, int age, @Nullable Integer next) {
    return new RevocationList(
        issuer, NOW.minusSeconds(age), next == null ? null : NOW.plusSeconds(next));
  }

  private static FindingSeverity ofLists(RevocationList... lists) {
    return CertificateFindings.ofLists("f", List.of(lists), NOW).severity();
  }

  @Test
  void aRevocationListIsReplacedInTime() {
    assertThat(ofLists(list("CN=a", 9, 90_000))).isEqualTo(FindingSeverity.OK);
    assertThat(ofLists(list("CN=a", 9, 90_000), list("CN=b", 9, 3_600)))
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(ofLists(list("CN=a", 9, -1))).isEqualTo(FindingSeverity.ERROR);
    assertThat(ofLists()).isEqualTo(FindingSeverity.ERROR);
  }

  @Test
  void aListWithoutItsNextUpdateIsAnErrorBesideOthers() {
    assertThat(ofLists(list("CN=a", 9, 90_000), list("CN=b", 9, null)))
        .isEqualTo(FindingSeverity.ERROR);
  }

  @Test
  void theNewerListOfAnIssuerCounts() {
    assertThat(ofLists(list("CN=a", 9, 90_000), list("CN=a", 99, -1)))
        .isEqualTo(FindingSeverity.OK);
    assertThat(ofLists(list("CN=a", 99, -1), list("CN=a", 9, 90_000)))
        .isEqualTo(FindingSeverity.OK);
  }
}
