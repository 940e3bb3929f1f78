package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.simulation.SimFaultKind;
import io.ensemble.simulation.mwmr.MwmrWorkload.Run;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MWMR caches stay linearizable for each key, and every call ends by its deadline. */
@Execution(ExecutionMode.CONCURRENT)
class MwmrWorkloadTest {

  private static final long A_MILLISECOND = 1_000_000;

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyHistoryIsLinearizableWhateverFails(int sites) {
    judge(sites, 0, 15);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreHistoriesAreLinearizableWhateverFails(int sites) {
    judge(sites, 15, 105);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7})
  void thousandsOfHistoriesAreLinearizableWhateverFails(int sites) {
    judge(sites, 1_000_000, 2_000);
  }

  private static void judge(int sites, long firstSeed, int seeds) {
    Map<SimFaultKind, Long> faults = new EnumMap<>(SimFaultKind.class);
    int operations = 0;
    int unknown = 0;
    int refused = 0;
    int undecided = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = MwmrWorkload.of(sites, seed).run(seed);
      check(run, sites, seed);
      undecided += run.verdict() instanceof LinearizabilityVerdict.Undecided ? 1 : 0;
      operations += run.history().operations().size();
      unknown += run.counters().unknown;
      refused += run.counters().refused;
      for (SimFaultKind kind : SimFaultKind.values()) {
        faults.merge(kind, run.trace().count(kind), Long::sum);
      }
    }
    System.out.printf(
        "MWMR over %d sites: %d seeds, %d operations, %d unknown, %d refused, %d undecided,"
            + " faults %s%n",
        sites, seeds, operations, unknown, refused, undecided, faults);
    assertThat(undecided).as("histories that were not decided").isLessThanOrEqualTo(seeds / 50);
    assertThat(unknown).as("unknown outcomes").isPositive();
    assertThat(unknown + refused).as("operations without an answer").isLessThan(operations / 3);
    if (sites > 2) {
      faults.remove(SimFaultKind.BUSY);
      assertThat(faults).as("faults that happened").doesNotContainValue(0L);
    }
  }

  private static void check(Run run, int sites, long seed) {
    String which = "sites=%d seed=%d".formatted(sites, seed);
    FailureArtifacts.requireNoViolation(
        run.verdict(), run.history(), MwmrWorkloadTest.class, which);
    assertThat(run.finished()).as("everybody finished; " + which).isTrue();
    assertThat(run.counters().latestNanos).as("lateness; " + which).isLessThan(A_MILLISECOND);
    assertThat(run.busyKeys()).as("keys with a writer at the end; " + which).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void writersOfOneKeyThatAreWrittenTogetherAreLinearizable(int sites) {
    crowd(sites, 6_000_000, 15);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreWritersOfOneKeyThatAreWrittenTogetherAreLinearizable(int sites) {
    crowd(sites, 6_000_015, 85);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void thousandsOfCrowdsAreLinearizable(int sites) {
    crowd(sites, 7_000_000, 1_000);
  }

  private static void crowd(int sites, long firstSeed, int seeds) {
    int operations = 0;
    int unknown = 0;
    int together = 0;
    int undecided = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = MwmrWorkload.of(sites, seed).withCrowds().run(seed);
      check(run, sites, seed);
      undecided += run.verdict() instanceof LinearizabilityVerdict.Undecided ? 1 : 0;
      operations += run.history().operations().size();
      unknown += run.counters().unknown;
      together += run.counters().together;
    }
    System.out.printf(
        "MWMR over %d sites: %d operations of crowds at one key, %d written with others, %d"
            + " unknown, %d undecided%n",
        sites, operations, together, unknown, undecided);
    assertThat(undecided).as("histories that were not decided").isLessThanOrEqualTo(seeds / 5);
    assertThat(together).isGreaterThan(operations / 10);
    assertThat(unknown).isLessThan(operations / 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void sitesThatForgetComeBackWhileClientsGoOn(int sites) {
    recover(sites, 0, 20);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreSitesThatForgetComeBackWhileClientsGoOn(int sites) {
    recover(sites, 20, 60);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void sitesForgetThousandsOfTimes(int sites) {
    recover(sites, 2_000_000, 1_500);
  }

  private static void recover(int sites, long firstSeed, int seeds) {
    int recovered = 0;
    int operations = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = MwmrWorkload.of(sites, seed).withWipes(3, RefillBug.NONE).run(seed);
      check(run, sites, seed);
      recovered += run.recovered();
      operations += run.history().operations().size();
    }
    System.out.printf(
        "MWMR over %d sites: %d operations while %d sites came back%n",
        sites, operations, recovered);
    assertThat(recovered).isEqualTo(3 * seeds);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void removedKeysAreForgottenWhileClientsGoOn(int sites) {
    sweep(sites, 0, 15);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreRemovedKeysAreForgottenWhileClientsGoOn(int sites) {
    sweep(sites, 15, 45);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void removedKeysAreForgottenThousandsOfTimes(int sites) {
    sweep(sites, 3_000_000, 1_000);
  }

  private static void sweep(int sites, long firstSeed, int seeds) {
    int swept = 0;
    int operations = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = MwmrWorkload.of(sites, seed).withSweeps().run(seed);
      check(run, sites, seed);
      swept += run.counters().swept;
      operations += run.history().operations().size();
    }
    System.out.printf(
        "MWMR over %d sites: %d operations while %d keys were forgotten%n",
        sites, operations, swept);
    assertThat(swept).isGreaterThan(seeds / 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void expiredValuesAreEndedWhileClientsGoOn(int sites) {
    expire(sites, 4_000_000, 15);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreExpiredValuesAreEndedWhileClientsGoOn(int sites) {
    expire(sites, 4_000_015, 45);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void expiredValuesAreEndedThousandsOfTimes(int sites) {
    expire(sites, 5_000_000, 1_000);
  }

  private static void expire(int sites, long firstSeed, int seeds) {
    int ended = 0;
    int swept = 0;
    int operations = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = MwmrWorkload.of(sites, seed).withSweeps().withExpiring(0.6).run(seed);
      check(run, sites, seed);
      ended += run.counters().ended;
      swept += run.counters().swept;
      operations += run.history().operations().size();
    }
    System.out.printf(
        "MWMR over %d sites: %d operations while %d expired values were ended, %d keys forgotten%n",
        sites, operations, ended, swept);
    assertThat(ended).isGreaterThan(5 * seeds);
    assertThat(swept).isGreaterThan(seeds / 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"COPIES_WITHOUT_SETTLING", "COUNTS_EMPTY"})
  void aWrongRefillIsCaught(RefillBug bug) {
    long caughtBy = -1;
    for (long seed = 0; seed < 200 && caughtBy < 0; seed++) {
      Run run = MwmrWorkload.of(3, seed).withWipes(3, bug).run(seed);
      caughtBy = run.verdict() instanceof LinearizabilityVerdict.Violation ? seed : -1;
    }

    System.out.printf("a refill that %s: caught by seed %d%n", bug, caughtBy);
    assertThat(caughtBy).as("the seed that catches %s", bug).isNotNegative();
  }

  @Test
  void oneSeedIsOneTraceAndOneHistory() {
    for (long seed = 0; seed < 6; seed++) {
      MwmrWorkload workload = MwmrWorkload.of(3, seed).withWipes(1, RefillBug.NONE);
      Run first = workload.run(seed);
      Run again = workload.run(seed);

      assertThat(again.trace().digest()).as("seed=%d", seed).isEqualTo(first.trace().digest());
      assertThat(again.history()).isEqualTo(first.history());
      assertThat(first.trace().size()).isGreaterThan(500);
    }
  }
}
