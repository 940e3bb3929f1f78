package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CopyWindow;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import io.ensemble.testkit.swmr.SwmrWorkload.Acknowledging;
import io.ensemble.testkit.swmr.SwmrWorkload.Run;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Caches with a primary copy stay linearizable for each key while primaries and writers change. */
@Execution(ExecutionMode.CONCURRENT)
class SwmrWorkloadTest {

  private static final Acknowledging PRIMARY = Acknowledging.primary(4);

  /** The number of seeds and the first seed; deep runs can be divided. */
  private static final int SEEDS =
      Integer.getInteger("ensemble.seeds", Boolean.getBoolean("ensemble.deep") ? 2_000 : 30);

  private static final long FIRST = Long.getLong("ensemble.firstSeed", 0);

  /** The nightly run continues after the seeds of the gate, with more of them. */
  private static final long NIGHTLY_FIRST = 30;

  private static final int NIGHTLY_SEEDS = 90;

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyHistoryIsLinearizableWhateverFails(int sites) {
    requireLinearizable(sites, FIRST, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreHistoriesAreLinearizableWhateverFails(int sites) {
    requireLinearizable(sites, NIGHTLY_FIRST, NIGHTLY_SEEDS);
  }

  private static void requireLinearizable(int sites, long first, int seeds) {
    int done = 0;
    int refused = 0;
    int unknown = 0;
    int otherWriter = 0;
    long epochs = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new SwmrWorkload(seed, sites, 4, SwmrWorkload.LEASES).run();

      FailureArtifacts.requireLinearizable(
          run.verdict(), run.history(), SwmrWorkloadTest.class, sites + "-" + seed);
      assertThat(run.finished()).as("every call ends; seed=%d", seed).isTrue();
      done += run.done();
      refused += run.refused();
      unknown += run.unknown();
      otherWriter += run.otherWriter();
      epochs += run.epochs() - 1;
    }
    System.out.printf(
        "%d sites, %d seeds: %d done, %d refused, %d unknown, %d refused to a second writer, %d new"
            + " epochs%n",
        sites, seeds, done, refused, unknown, otherWriter, epochs);
    assertThat(done).isGreaterThan(seeds * 100);
    assertThat(epochs).isGreaterThan(seeds / 2);
    assertThat(otherWriter).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void writersOfOneKeyThatAreWrittenTogetherAreLinearizable(int sites) {
    requireCrowdsLinearizable(sites, FIRST, SEEDS / 2);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreWritersOfOneKeyThatAreWrittenTogetherAreLinearizable(int sites) {
    requireCrowdsLinearizable(sites, NIGHTLY_FIRST, NIGHTLY_SEEDS);
  }

  private static void requireCrowdsLinearizable(int sites, long first, int seeds) {
    int done = 0;
    int unknown = 0;
    int together = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = SwmrWorkload.ofCrowds(seed, sites).run();

      FailureArtifacts.requireLinearizable(
          run.verdict(), run.history(), SwmrWorkloadTest.class, "crowds-" + sites + "-" + seed);
      assertThat(run.finished()).as("every call ends; seed=%d", seed).isTrue();
      done += run.done();
      unknown += run.unknown();
      together += run.together();
    }
    System.out.printf(
        "%d sites, %d seeds: %d done by crowds at one key, %d written with others, %d unknown%n",
        sites, seeds, done, together, unknown);
    assertThat(together).isGreaterThan(seeds * 10);
    assertThat(done).isGreaterThan(seeds * 300);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void whatThePrimaryAloneAcknowledgedIsKeptOrReported(int sites) {
    requireKeptOrReported(sites, FIRST, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreOfWhatThePrimaryAloneAcknowledgedIsKeptOrReported(int sites) {
    requireKeptOrReported(sites, NIGHTLY_FIRST, NIGHTLY_SEEDS);
  }

  private static void requireKeptOrReported(int sites, long first, int seeds) {
    Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
    int done = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new SwmrWorkload(seed, sites, 4, SwmrWorkload.LEASES, PRIMARY).run();

      FailureArtifacts.requireLinearizable(
          run.verdict(), run.history(), SwmrWorkloadTest.class, sites + "-" + seed);
      assertThat(run.mistakes()).as("seed=%d", seed).isEmpty();
      assertThat(run.losses().unsettled()).as("seed=%d", seed).isEmpty();
      assertThat(run.finished()).as("every call ends; seed=%d", seed).isTrue();
      done += run.done();
      for (Fate fate : Fate.values()) {
        fates.merge(fate, run.losses().count(fate), Integer::sum);
      }
    }
    System.out.printf(
        "%d sites, %d seeds, by the primary: %d done, fates %s%n", sites, seeds, done, fates);
    assertThat(fates.get(Fate.LOST)).isPositive();
    assertThat(fates.get(Fate.KEPT)).isPositive();
  }

  @Test
  void aWindowThatIsNotReportedIsCaught() {
    assertThat(seedWithLosses(new Acknowledging(PRIMARY.window(), PRIMARY.bound(), false)))
        .isNotNegative();
  }

  @Test
  void aWindowWithoutABoundIsCaught() {
    Optional<CopyWindow> large = Acknowledging.primary(1_000).window();

    assertThat(seedWithLosses(new Acknowledging(large, 1, true))).isNotNegative();
  }

  private static long seedWithLosses(Acknowledging broken) {
    for (long seed = 0; seed < 200; seed++) {
      Run run = new SwmrWorkload(seed, 3, 4, SwmrWorkload.LEASES, broken).run();
      if (run.verdict() instanceof LinearizabilityVerdict.Violation || !run.mistakes().isEmpty()) {
        return seed;
      }
    }
    return -1;
  }

  @Test
  void answersAfterTheLeaseAreCaught() {
    TermLeaseRules broken =
        new TermLeaseRules(400_000_000, 50_000_000) {
          @Override
          public boolean holds(LeasedTerm leasedTerm, long nowNanos) {
            return leasedTerm.term().active();
          }
        };

    long seed = seedThatCatches(broken);

    System.out.println("leases that are not kept: caught by seed " + seed);
    assertThat(seed).isNotNegative();
  }

  /** About one run in 500 exposes the bug; the first seed is shortly before such a run. */
  private static long seedThatCatches(TermLeaseRules broken) {
    for (long seed = 2_250; seed < 5_000; seed++) {
      Run run = new SwmrWorkload(seed, 3, 4, broken).run();
      if (run.verdict() instanceof LinearizabilityVerdict.Violation) {
        return seed;
      }
    }
    return -1;
  }

  @Test
  void oneSeedIsOneHistory() {
    for (long seed = 0; seed < 4; seed++) {
      Run first = new SwmrWorkload(seed, 3, 4, SwmrWorkload.LEASES).run();
      Run again = new SwmrWorkload(seed, 3, 4, SwmrWorkload.LEASES).run();

      assertThat(again.trace().digest()).as("seed=%d", seed).isEqualTo(first.trace().digest());
      assertThat(again.history()).isEqualTo(first.history());
    }
  }
}
