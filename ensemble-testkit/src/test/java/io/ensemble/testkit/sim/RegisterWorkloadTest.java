package io.ensemble.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Ballot;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.testkit.sim.RegisterWorkload.Run;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The register protocol, driven over the simulated federation, stays linearizable. */
class RegisterWorkloadTest {

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyHistoryIsLinearizableWhateverFails(int sites) {
    judge(sites, 0, 40);
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7})
  void thousandsOfHistoriesAreLinearizableWhateverFails(int sites) {
    judge(sites, 1_000_000, 1_500);
  }

  private static void judge(int sites, long firstSeed, int seeds) {
    Map<Ballot.Kind, Integer> chosen = new EnumMap<>(Ballot.Kind.class);
    int operations = 0;
    int unknown = 0;
    int undecided = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = RegisterWorkload.of(sites, seed).run(seed);
      assertThat(run.verdict())
          .as("sites=%d seed=%d %s", sites, seed, run.verdict())
          .isNotInstanceOf(Verdict.Violation.class);
      undecided += run.verdict() instanceof Verdict.Undecided ? 1 : 0;
      operations += run.history().operations().size();
      unknown += run.unknown();
      run.chosen().forEach((kind, n) -> chosen.merge(kind, n, Integer::sum));
    }
    System.out.printf(
        "register over %d sites: %d seeds, %d operations, %d unknown, %d undecided, chosen %s%n",
        sites, seeds, operations, unknown, undecided, chosen);
    assertThat(undecided).as("histories that were not decided").isLessThanOrEqualTo(seeds / 50);
    assertThat(unknown).as("unknown outcomes").isPositive().isLessThan(operations / 3);
    assertThat(chosen).as("ways to be chosen").containsKeys(Ballot.Kind.values());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aWrongDriverIsCaught(DriverBug bug) {
    long caughtBy = -1;
    for (long seed = 0; seed < 100 && caughtBy < 0; seed++) {
      Run run = RegisterWorkload.of(3, seed).withBug(bug).run(seed);
      caughtBy = run.verdict() instanceof Verdict.Violation ? seed : -1;
    }

    System.out.printf("driver that %s: caught by seed %d%n", bug, caughtBy);
    assertThat(caughtBy).as("the seed that catches %s", bug).isNotNegative();
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
