package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.SiblingRun.Troubles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All guarantees of siblings, on random runs. A failure names its seed, which replays the run. */
@Execution(ExecutionMode.CONCURRENT)
class SiblingConvergenceTest {

  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 5_000 : 80;
  private static final int MANY = 10_000;

  @Test
  void withoutFaultsNothingIsLostAndNothingComesBack() {
    int concurrent = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SiblingRun run = new SiblingRun(seed, MANY, new Troubles(false, false, false));

      run.work(30);

      assertThat(run.judge()).as("seed %d", seed).isEmpty();
      assertThat(run.unknown()).isZero();
      concurrent += run.mostSiblings() > 1 ? 1 : 0;
    }
    assertThat(concurrent).as("tokens that are out of date leave siblings").isPositive();
  }

  @Test
  void whateverIsLostDelayedOrCutNothingIsLostAndNothingComesBack() {
    int unknown = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SiblingRun run = new SiblingRun(seed, MANY, new Troubles(true, false, seed % 3 == 0));

      run.work(40);

      assertThat(run.judge()).as("seed %d", seed).isEmpty();
      unknown += run.unknown();
    }
    assertThat(unknown).as("faults were felt").isPositive();
  }

  @Test
  void aSiteThatForgetsLosesWhatItAloneHadAndNothingElse() {
    for (long seed = 0; seed < SEEDS; seed++) {
      SiblingRun run = new SiblingRun(seed, MANY, new Troubles(true, true, seed % 3 == 0));

      run.work(40);

      assertThat(run.judge()).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void withABoundTheSitesAreEqualAndNothingComesBack() {
    int dropped = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SiblingRun run = new SiblingRun(seed, 2, new Troubles(true, false, false));

      run.work(40);

      assertThat(run.judge()).as("seed %d", seed).isEmpty();
      assertThat(run.mostSiblings()).isLessThanOrEqualTo(2);
      dropped += run.dropped();
    }
    assertThat(dropped).isPositive();
  }
}
