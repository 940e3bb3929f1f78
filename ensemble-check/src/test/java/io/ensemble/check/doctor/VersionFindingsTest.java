package io.ensemble.check.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VersionFindingsTest {

  @Test
  void theTestedVersionIsInOrder() {
    assertThat(VersionFindings.of("n", "Infinispan 'Keep Rollin'' 16.0.7", "17.0.15", ""))
        .extracting(Finding::severity)
        .containsExactly(FindingSeverity.OK, FindingSeverity.OK);
  }

  @Test
  void aServerThatRepeatsEntryVersionsIsAnError() {
    Finding found = VersionFindings.of("n", "15.0.22", "17", "").get(0);

    assertThat(found.severity()).isEqualTo(FindingSeverity.ERROR);
    assertThat(found.seen()).contains("15.0.22", "require 15.1.0 or later");
    assertThat(found.remedy()).contains("upgrade");
  }

  @Test
  void anUntestedVersionIsAWarning() {
    assertThat(VersionFindings.of("n", "15.1.0", "21.0.1", "").get(0).severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(VersionFindings.of("n", "Infinispan 16.10.0", "21", "").get(0).severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(VersionFindings.of("n", "16.0.14.Final", "21", "").get(0).severity())
        .isEqualTo(FindingSeverity.OK);
  }

  @Test
  void anOldJavaIsAnError() {
    assertThat(VersionFindings.ofJava("n", "11.0.2").severity()).isEqualTo(FindingSeverity.ERROR);
    assertThat(VersionFindings.ofJava("n", "1.8.0_292").severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(VersionFindings.ofJava("n", "25-ea").severity()).isEqualTo(FindingSeverity.OK);
  }

  @Test
  void aVersionThatCannotBeReadIsNotChecked() {
    assertThat(VersionFindings.of("n", null, null, "the port serves no REST"))
        .allSatisfy(
            found -> {
              assertThat(found.severity()).isEqualTo(FindingSeverity.NOT_CHECKED);
              assertThat(found.seen()).contains("the port serves no REST");
            });
    assertThat(VersionFindings.of("n", "unknown", "x", ""))
        .extracting(Finding::severity)
        .containsOnly(FindingSeverity.NOT_CHECKED);
  }

  @Test
  void nodesOfDifferentVersionsAreAWarning() {
    assertThat(VersionFindings.mixed("lyon", Map.of("a", "16.0.7", "b", "16.0.8")))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.severity()).isEqualTo(FindingSeverity.WARNING);
              assertThat(found.seen()).contains("[16.0.7, 16.0.8]");
            });
    assertThat(VersionFindings.mixed("lyon", Map.of("a", "16.0.7", "b", "16.0.7"))).isEmpty();
  }

  @Test
  void onlyErrorsFail() {
    Finding warning = Finding.warning("c", "s", "seen", "remedy");
    Finding unknown = Finding.notChecked("c", "s", "seen", "remedy");

    assertThat(Finding.hasError(List.of(warning, unknown, Finding.ok("c", "s", "seen")))).isFalse();
    assertThat(Finding.hasError(List.of(warning, Finding.error("c", "s", "x", "r")))).isTrue();
  }
}
