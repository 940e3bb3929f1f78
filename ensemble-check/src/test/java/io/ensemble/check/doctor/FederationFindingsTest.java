package io.ensemble.check.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.doctor.ChangeFindings.MoverState;
import io.ensemble.check.doctor.ReachabilityFindings.NodePing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checks with few rules: reachability, permissions, disks, redundancy, changes, owners. */
class FederationFindingsTest {

  private static final NodePing FAST = new NodePing("a:1", 2.5, null);
  private static final NodePing SLOW = new NodePing("b:1", 700.0, null);
  private static final NodePing DEAD = new NodePing("c:1", null, "Connection refused");

  @Test
  void aSilentNodeIsAWarningWhileAnotherAnswersAndAnErrorOtherwise() {
    assertThat(ReachabilityFindings.of("lyon", List.of(FAST, SLOW, DEAD)))
        .extracting(Finding::severity)
        .containsExactly(FindingSeverity.OK, FindingSeverity.WARNING, FindingSeverity.WARNING);
    assertThat(ReachabilityFindings.of("lyon", List.of(DEAD)))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.severity()).isEqualTo(FindingSeverity.ERROR);
              assertThat(one.seen()).contains("Connection refused");
            });
  }

  @Test
  void aRefusedLoginAndAnInvalidEntryAreErrors() {
    assertThat(ReachabilityFindings.ofLogin("lyon", "ada", null).severity())
        .isEqualTo(FindingSeverity.OK);
    assertThat(ReachabilityFindings.ofLogin("lyon", "ada", "Invalid credentials").severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(ReachabilityFindings.invalid("lyon", "a password is required").severity())
        .isEqualTo(FindingSeverity.ERROR);
  }

  @Test
  void aMissingPermissionIsNamed() {
    assertThat(PermissionFindings.of("lyon", "ada", PermissionFindings.NEEDED).severity())
        .isEqualTo(FindingSeverity.OK);
    assertThat(PermissionFindings.of("lyon", "ada", List.of("ALL")).severity())
        .isEqualTo(FindingSeverity.OK);
    assertThat(PermissionFindings.of("lyon", "ada", List.of("READ", "WRITE", "ADMIN")))
        .satisfies(
            one -> {
              assertThat(one.severity()).isEqualTo(FindingSeverity.ERROR);
              assertThat(one.seen()).isEqualTo("the user 'ada' lacks BULK_READ CREATE MONITOR");
            });
    assertThat(PermissionFindings.unknown("lyon", "no REST").severity())
        .isEqualTo(FindingSeverity.NOT_CHECKED);
  }

  @Test
  void aLowDiskIsAnErrorAndANearlyLowOneAWarning() {
    long reserve = 256L << 20;

    assertThat(DiskFindings.of("lyon-0", reserve - 1, reserve, false).severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(DiskFindings.of("lyon-0", 9 * reserve, reserve, true).severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(DiskFindings.of("lyon-0", reserve + 1, reserve, false).severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(DiskFindings.of("lyon-0", 2 * reserve, reserve, false).severity())
        .isEqualTo(FindingSeverity.OK);
    assertThat(DiskFindings.unknown("lyon").severity()).isEqualTo(FindingSeverity.NOT_CHECKED);
  }

  @Test
  void aCacheBelowItsRedundancyIsAWarningAndBelowItsQuorumAnError() {
    assertThat(RedundancyFindings.of("c", 3, 2, Map.of()).severity()).isEqualTo(FindingSeverity.OK);
    assertThat(RedundancyFindings.of("c", 3, 2, Map.of("lyon", "lost")).severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(RedundancyFindings.of("c", 3, 2, Map.of("lyon", "x", "oslo", "y")).severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(RedundancyFindings.missingPart("all", "part-1").seen()).contains("part-1");
  }

  @Test
  void aChangeWithoutALiveMoverIsAnErrorWithTheCommandThatResumesIt() {
    assertThat(ChangeFindings.of("c", "copying", MoverState.ALIVE, List.of()).severity())
        .isEqualTo(FindingSeverity.WARNING);
    for (MoverState dead : new MoverState[] {MoverState.SILENT, MoverState.NONE}) {
      Finding found = ChangeFindings.of("c", "copying", dead, List.of());
      assertThat(found.severity()).isEqualTo(FindingSeverity.ERROR);
      assertThat(found.remedy()).startsWith("./ensemble migrations resume c");
    }
    assertThat(ChangeFindings.of("c", "cutover", MoverState.ALIVE, List.of("rome")).seen())
        .contains("missing at rome");
    assertThat(ChangeFindings.none().severity()).isEqualTo(FindingSeverity.OK);
  }

  @Test
  void aSiteWithoutALiveMaintainerIsAWarning() {
    assertThat(OwnerFindings.ofSite("lyon", null, "").severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(OwnerFindings.ofSite("lyon", false, "repair").seen()).contains("silent", "repair");
    assertThat(OwnerFindings.ofSite("lyon", true, "idle").severity()).isEqualTo(FindingSeverity.OK);
  }

  @Test
  void anUnreadableRecordAndAnUnreachableCatalogAreErrors() {
    assertThat(CatalogFindings.of("d", 2, 1, Map.of("orders", "malformed")))
        .extracting(Finding::severity)
        .containsExactly(FindingSeverity.OK, FindingSeverity.ERROR);
    assertThat(CatalogFindings.failed("zk://a:1", "does not answer").severity())
        .isEqualTo(FindingSeverity.ERROR);
  }

  @Test
  void eachFindingHasARemedyAndWhatIsInOrderHasNone() {
    assertThatThrownBy(() -> new Finding("c", "s", FindingSeverity.ERROR, "seen", null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Finding("c", "s", FindingSeverity.OK, "seen", "remedy"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
