package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.RecoverableEngine;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import io.ensemble.testkit.swmr.SwmrWipeWorkload.Run;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sites of an SWMR cache lose their stores one after the other, and no write is lost. */
@Execution(ExecutionMode.CONCURRENT)
class SwmrRefillTest {

  /** The number of seeds and the first seed; deep runs can be divided. */
  private static final int SEEDS =
      Integer.getInteger("ensemble.seeds", Boolean.getBoolean("ensemble.deep") ? 600 : 6);

  private static final long FIRST = Long.getLong("ensemble.firstSeed", 0);

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyHistoryIsLinearizableThoughEverySiteForgets(int sites) {
    requireLinearizable(sites, FIRST, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void moreHistoriesAreLinearizableThoughEverySiteForgets(int sites) {
    requireLinearizable(sites, 6, 44);
  }

  private static void requireLinearizable(int sites, long first, int seeds) {
    int done = 0;
    int otherWriter = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new SwmrWipeWorkload(seed, sites, UnaryOperator.identity()).run();

      FailureArtifacts.requireLinearizable(
          run.verdict(), run.history(), SwmrRefillTest.class, sites + "-" + seed);
      assertThat(run.finished()).as("every call and refill ends; seed=%d", seed).isTrue();
      done += run.done();
      otherWriter += run.otherWriter();
    }
    System.out.printf(
        "%d sites, %d seeds: %d done, %d refused to a second writer%n",
        sites, seeds, done, otherWriter);
    assertThat(done).isGreaterThan(seeds * 60);
    assertThat(otherWriter).isPositive();
  }

  /**
   * Otherwise, writes that the empty site had helped to acknowledge are lost with the next site.
   */
  @Test
  void aSiteThatBeginsEmptyWithoutANewTermIsCaught() {
    RecoverableEngine nothing = (site, fresh, deadline) -> CompletableFuture.completedFuture(0L);
    boolean caught = false;
    for (long seed = 0; seed < 200 && !caught; seed++) {
      caught =
          new SwmrWipeWorkload(seed, 3, engine -> nothing).run().verdict()
              instanceof LinearizabilityVerdict.Violation;
    }

    assertThat(caught).isTrue();
  }
}
