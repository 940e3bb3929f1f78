package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.near.NearBug;
import io.ensemble.testkit.history.NearReads;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Near reads are never older than allowed, and never older than what their client has seen. */
@Execution(ExecutionMode.CONCURRENT)
class MwmrNearTest {

  @Test
  void nearReadsAreYoungEnough() {
    judge(0, 60);
  }

  @Tag("nightly")
  @Test
  void nearReadsAreYoungEnoughInMoreRuns() {
    judge(10_000, 3_000);
  }

  private static void judge(long firstSeed, int seeds) {
    long hits = 0;
    long refusals = 0;
    long invalidations = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      NearWorkload run = NearWorkload.run(seed, NearBug.NONE);
      assertThat(violations(run)).as("seed=%d", seed).isEmpty();
      hits += run.hits();
      refusals += run.staleRefusals();
      invalidations += run.invalidations();
    }
    System.out.printf(
        "near caches: %d seeds, %d hits, %d entries too old, %d invalidations%n",
        seeds, hits, refusals, invalidations);
    assertThat(hits).isGreaterThan(10L * seeds);
    assertThat(refusals).isPositive();
    assertThat(invalidations).isPositive();
  }

  private static List<String> violations(NearWorkload run) {
    List<String> wrong = new ArrayList<>();
    NearReads.stepsBack(run.history()).ifPresent(one -> wrong.add("an older value: " + one));
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(NearReads.asReads(run.history()), Options.registers());
    if (!(verdict instanceof LinearizabilityVerdict.Linearizable)) {
      wrong.add(verdict.toString());
    }
    return wrong;
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = Mode.EXCLUDE)
  void aPlantedErrorIsFound(NearBug bug) {
    for (long seed = 0; seed < 200; seed++) {
      List<String> wrong = violations(NearWorkload.run(seed, bug));
      if (!wrong.isEmpty()) {
        String first = wrong.get(0);
        System.out.printf(
            "%s is found by seed %d: %s%n",
            bug, seed, first.substring(0, Math.min(200, first.length())));
        return;
      }
    }
    throw new AssertionError(bug + " was not found");
  }
}
