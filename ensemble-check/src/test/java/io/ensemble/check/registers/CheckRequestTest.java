package io.ensemble.check.registers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.Mode;
import io.ensemble.check.faults.TrialFaultKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The default faults of a check, and the faults that it supports. */
class CheckRequestTest {

  @ParameterizedTest
  @CsvSource({
    "MWMR, 1, true",
    "MWMR, 2, true",
    "MWMR, 3, true",
    "SWMR, 1, true",
    "SWMR, 2, true",
    "SWMR, 3, true",
    "WEAK, 2, false",
    "WEAK, 3, false"
  })
  void sitesAreSplitUnaskedWhereEachStoreIsOnOneNode(Mode mode, int sites, boolean splits) {
    for (boolean processes : new boolean[] {false, true}) {
      assertThat(defaults(mode, sites, 3, processes).contains(TrialFaultKind.SPLIT))
          .isEqualTo(splits);
    }
  }

  @Test
  void nodesThatAreProcessesAreRestartedInTurnByNameOnly() {
    assertThat(defaults(Mode.MWMR, 3, 3, true)).doesNotContain(TrialFaultKind.ROLLING);
    assertThat(defaults(Mode.MWMR, 3, 3, false)).contains(TrialFaultKind.ROLLING);
    assertThat(defaults(Mode.MWMR, 1, 1, false))
        .doesNotContain(TrialFaultKind.ROLLING, TrialFaultKind.SPLIT)
        .contains(TrialFaultKind.CUT);
  }

  @ParameterizedTest
  @CsvSource({
    "MWMR, 2, true",
    "SWMR, 1, true",
    "SWMR, 2, false",
    "SWMR, 3, true",
    "WEAK, 3, false"
  })
  void replicasAreReplacedWhereTheOthersAreAMajority(Mode mode, int sites, boolean may) {
    CheckRequest request = request(mode, EnumSet.of(TrialFaultKind.REPLACE));
    if (may) {
      assertThat(request.requirePossible(sites, 4, false)).isEqualTo(request);
    } else {
      assertThatThrownBy(() -> request.requirePossible(sites, 4, false))
          .hasMessageContaining("--faults replace requires a majority of replicas");
    }
  }

  @Test
  void aCacheIsNotReplacedAndReconfiguredInOneRun() {
    CheckRequest both =
        request(Mode.MWMR, EnumSet.of(TrialFaultKind.REPLACE, TrialFaultKind.RECONFIGURE));
    assertThatThrownBy(() -> both.requirePossible(3, 3, false))
        .hasMessageContaining("excludes reconfigure");
  }

  @Test
  void shardsAreOfStrongModesAndStayWhereTheyAre() {
    Set<TrialFaultKind> kill = EnumSet.of(TrialFaultKind.KILL);
    assertThat(sharded(Mode.MWMR, 4, kill).requirePossible(3, 3, false).shards()).isEqualTo(4);
    assertThat(sharded(Mode.SWMR, 4, kill).withPossibleFaults(3, 3, false).shards()).isEqualTo(4);
    assertThatThrownBy(() -> sharded(Mode.WEAK, 4, kill))
        .hasMessageContaining("--shards requires --mode mwmr");
    assertThatThrownBy(() -> sharded(Mode.MWMR, 257, kill)).hasMessageContaining("1 to 256");
    for (TrialFaultKind moved : EnumSet.of(TrialFaultKind.REPLACE, TrialFaultKind.RECONFIGURE)) {
      CheckRequest request = sharded(Mode.MWMR, 4, EnumSet.of(moved));
      assertThatThrownBy(() -> request.requirePossible(3, 3, false))
          .hasMessageContaining("--shards excludes");
    }
  }

  @Test
  void listenersFailOnlyWhereThereAreAny() {
    Set<TrialFaultKind> faults = EnumSet.of(TrialFaultKind.LISTENER);

    assertThat(listened(Mode.WEAK, 0, 2, faults).requirePossible(3, 1, true).faults())
        .isEqualTo(faults);
    assertThatThrownBy(() -> listened(Mode.WEAK, 0, 0, faults))
        .hasMessageContaining("--faults listener requires --listen");
    assertThat(listened(Mode.MWMR, 2, 1, faults).requirePossible(3, 1, true).shards()).isEqualTo(2);
  }

  private static CheckRequest request(Mode mode, Set<TrialFaultKind> faults) {
    return sharded(mode, 0, faults);
  }

  private static CheckRequest sharded(Mode mode, int shards, Set<TrialFaultKind> faults) {
    return listened(mode, shards, 0, faults);
  }

  private static CheckRequest listened(
      Mode mode, int shards, int listeners, Set<TrialFaultKind> faults) {
    return new CheckRequest(
        mode,
        mode == Mode.WEAK ? Acknowledgement.LOCAL : Acknowledgement.MAJORITY,
        4,
        2,
        100,
        3,
        Duration.ofSeconds(1),
        1,
        faults,
        50,
        Duration.ofSeconds(3),
        shards,
        null,
        listeners);
  }

  private static Set<TrialFaultKind> defaults(Mode mode, int sites, int nodes, boolean processes) {
    return request(mode, TrialFaultKind.defaults(EnumSet.allOf(TrialFaultKind.class)))
        .withPossibleFaults(sites, nodes, processes)
        .faults();
  }
}
