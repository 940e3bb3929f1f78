package io.ensemble.simulation.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakOptions.Ack;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.weak.WeakHistory.Excuse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The complete guarantee of WEAK, on random runs. A failure names its seed; the seed replays it.
 */
@Execution(ExecutionMode.CONCURRENT)
class WeakConvergenceTest {

  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 3_000 : 75;

  /** Comparisons run when the test requests them, and periodically after each {@code gap}. */
  private static WeakOptions options(Ack ack, Duration gap) {
    return WeakOptions.DEFAULTS
        .withAck(ack)
        .withCopies(
            new WeakOptions.CopyLimits(
                8, 50, 1 << 20, Duration.ofMillis(100), Duration.ofSeconds(2)))
        .withComparison(new WeakOptions.Comparison(Duration.ofHours(1), Duration.ZERO, gap, 4, 3));
  }

  private static final MessageFaults LOSSY = MessageFaults.lossy(0.04).withDuplicated(0);

  @Test
  void withoutFaultsTheSitesAreEqualOnceTheCopiesHaveArrived() {
    converge(0, SEEDS);
  }

  private static void converge(long first, int seeds) {
    int superseded = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      RandomFaults none = new RandomFaults(MessageFaults.reliable(), 0, false, 0);
      WeakRun run = new WeakRun(seed, none, options(Ack.LOCAL, Duration.ofDays(1)), 3, 40);

      run.work();

      run.requirePromiseKept(Excuse.NONE, WeakConvergenceTest.class);
      assertThat(run.history().undone()).isZero();
      superseded += run.history().superseded();
    }
    assertThat(superseded).as("clocks that disagree make some writes lose").isPositive();
  }

  @Test
  void afterFaultsAComparisonMakesTheSitesEqualAndKeepsWhatWasAcknowledged() {
    convergeAfterFaults(0, SEEDS);
  }

  private static void convergeAfterFaults(long first, int seeds) {
    int applied = 0;
    int undone = 0;
    int excused = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      RandomFaults faults = new RandomFaults(LOSSY, 12, false, 1);
      Ack ack = seed % 2 == 0 ? Ack.LOCAL : Ack.MAJORITY;
      WeakRun run = new WeakRun(seed, faults, options(ack, Duration.ofDays(1)), 6, 40);

      run.work();
      assertThat(run.heal().isComplete()).as("seed %d", seed).isTrue();

      run.requirePromiseKept(Excuse.UNSEEN_SWAP, WeakConvergenceTest.class);
      applied += run.history().applied();
      undone += run.history().undone();
      excused += run.history().excused();
    }
    System.out.printf(
        "WEAK convergence: %d seeds, %d writes applied, %d of them lost%n",
        seeds, applied, excused);
    assertThat(undone).as("faults were felt").isPositive();
    assertThat(excused).as("of %d", applied).isLessThan(applied / 200);
  }

  @Test
  void comparisonsThatComeByThemselvesMakeTheSitesEqual() {
    convergeByThemselves(0, SEEDS / 3);
  }

  private static void convergeByThemselves(long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomFaults faults = new RandomFaults(LOSSY, 12, false, 0);
      WeakRun run = new WeakRun(seed, faults, options(Ack.LOCAL, Duration.ofMillis(500)), 6, 40);

      run.work();

      run.requirePromiseKept(Excuse.UNSEEN_SWAP, WeakConvergenceTest.class);
    }
  }

  @Test
  void afterALossOfMemoryTheSitesAreEqualAgainAndAMajorityHasKeptWhatItAcknowledged() {
    convergeAfterLoss(0, SEEDS);
  }

  private static void convergeAfterLoss(long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomFaults faults = new RandomFaults(LOSSY, 14, true, 1);
      WeakRun run = new WeakRun(seed, faults, options(Ack.MAJORITY, Duration.ofDays(1)), 6, 40);

      run.work();
      assertThat(run.heal().isComplete()).as("seed %d", seed).isTrue();

      run.requirePromiseKept(Excuse.UNSEEN_SWAP, WeakConvergenceTest.class);
    }
  }

  @Test
  void evenWhenRequestsAreRepeatedAComparisonMakesTheSitesEqual() {
    convergeThoughRepeated(0, SEEDS);
  }

  private static void convergeThoughRepeated(long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      RandomFaults faults = RandomFaults.all().withMemoryLoss(false);
      WeakRun run = new WeakRun(seed, faults, options(Ack.LOCAL, Duration.ofDays(1)), 6, 40);

      run.work();
      assertThat(run.heal().isComplete()).as("seed %d", seed).isTrue();

      run.requirePromiseKept(Excuse.ANYTHING, WeakConvergenceTest.class);
    }
  }

  /** More runs, with the seeds after those of the gate. */
  @Tag("nightly")
  @Test
  void theSitesAreEqualAtTheEndOfMoreRuns() {
    converge(75, 225);
    convergeAfterFaults(75, 225);
    convergeByThemselves(25, 75);
    convergeAfterLoss(75, 225);
    convergeThoughRepeated(75, 225);
  }

  @Test
  void aSeedReplays() {
    for (long seed = 0; seed < 3; seed++) {
      String first = digest(seed);

      assertThat(digest(seed)).isEqualTo(first);
      assertThat(digest(seed + 1)).isNotEqualTo(first);
    }
  }

  private static String digest(long seed) {
    WeakRun run =
        new WeakRun(seed, RandomFaults.all(), options(Ack.LOCAL, Duration.ofSeconds(1)), 6, 20);
    run.work();
    run.heal();
    return run.federation().trace().digest();
  }
}
