package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Ballot;
import io.ensemble.simulation.RegisterWorkload.Run;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The register protocol, driven over the simulated federation, stays linearizable. */
@Execution(ExecutionMode.CONCURRENT)
class RegisterWorkloadTest {

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyHistoryIsLinearizableWhateverFails(int sites) {
    judge(sites, 0, 20);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreHistoriesAreLinearizableWhateverFails(int sites) {
    judge(sites, 20, 140);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7})
  void thousandsOfHistoriesAreLinearizableWhateverFails(int sites) {
    judge(sites, 1_000_000, 5_000);
  }

  private static void judge(int sites, long firstSeed, int seeds) {
    Map<Ballot.Kind, Integer> chosen = new EnumMap<>(Ballot.Kind.class);
    Map<SimFaultKind, Long> faults = new EnumMap<>(SimFaultKind.class);
    int operations = 0;
    int unknown = 0;
    int refused = 0;
    int undecided = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = RegisterWorkload.of(sites, seed).run(seed);
      FailureArtifacts.requireNoViolation(
          run.verdict(), run.history(), RegisterWorkloadTest.class, sites + "-" + seed);
      undecided += run.verdict() instanceof LinearizabilityVerdict.Undecided ? 1 : 0;
      operations += run.history().operations().size();
      unknown += run.counters().unknown;
      refused += run.counters().refused;
      run.chosen().forEach((kind, n) -> chosen.merge(kind, n, Integer::sum));
      for (SimFaultKind kind : SimFaultKind.values()) {
        faults.merge(kind, run.trace().count(kind), Long::sum);
      }
    }
    System.out.printf(
        "register over %d sites: %d seeds, %d operations, %d unknown, %d refused, %d undecided,"
            + " chosen %s, faults %s%n",
        sites, seeds, operations, unknown, refused, undecided, chosen, faults);
    assertThat(undecided).as("histories that were not decided").isLessThanOrEqualTo(seeds / 50);
    assertThat(unknown).as("unknown outcomes").isPositive();
    assertThat(unknown + refused).as("operations without an answer").isLessThan(operations / 3);
    assertThat(chosen).as("ways to be chosen").containsKeys(Ballot.Kind.FAST, Ballot.Kind.CLASSIC);
    // With one or two sites a majority is all of them: nothing is confirmed, and no site may fail.
    if (sites > 2) {
      assertThat(chosen).containsKey(Ballot.Kind.CONFIRM);
      faults.remove(SimFaultKind.BUSY);
      assertThat(faults).as("faults that happened").doesNotContainValue(0L);
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "COUNTS_WIPED"})
  void aWrongDriverIsCaught(DriverBug bug) {
    long caughtBy = -1;
    for (long seed = 0; seed < 100 && caughtBy < 0; seed++) {
      Run run = RegisterWorkload.of(3, seed).withBug(bug).run(seed);
      caughtBy = run.verdict() instanceof LinearizabilityVerdict.Violation ? seed : -1;
    }

    System.out.printf("driver that %s: caught by seed %d%n", bug, caughtBy);
    assertThat(caughtBy).as("the seed that catches %s", bug).isNotNegative();
  }

  /** A value chosen at s0 and s1 while s2 is cut off is lost if s0 is wiped and still counts. */
  @Test
  void countingAWipedSiteIsCaughtAndNotCountingItIsSafe() {
    RegisterWorkload workload = RegisterWorkload.of(3, 0);
    SimFaultPlan plan = SimFaultPlan.none();
    Duration half = Duration.ofMillis(200);
    for (String client : workload.clientNames()) {
      plan = plan.cut(client, "s2", Duration.ZERO, half).cut(client, "s1", half, half.plus(half));
    }
    plan = plan.down("s0", Fault.LostState.STORES, half, half.plusMillis(1));

    Run wrong = workload.withBug(DriverBug.COUNTS_WIPED).run(0, plan);
    Run right = workload.run(0, plan);

    assertThat(wrong.verdict()).isInstanceOf(LinearizabilityVerdict.Violation.class);
    assertThat(right.verdict()).isInstanceOf(LinearizabilityVerdict.Linearizable.class);
  }

  @Test
  void oneSeedIsOneTraceAndOneHistory() {
    Run first = RegisterWorkload.of(3, 11).run(11);
    Run again = RegisterWorkload.of(3, 11).run(11);
    Run other = RegisterWorkload.of(3, 12).run(12);

    assertThat(again.trace().lines()).isEqualTo(first.trace().lines()).hasSizeGreaterThan(1_000);
    assertThat(again.trace().digest()).isEqualTo(first.trace().digest());
    assertThat(again.history()).isEqualTo(first.history());
    assertThat(other.trace().digest()).isNotEqualTo(first.trace().digest());
  }
}
