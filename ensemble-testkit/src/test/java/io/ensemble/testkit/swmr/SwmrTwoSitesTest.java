package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.swmr.PlantedRolls;
import io.ensemble.cache.swmr.PlantedRolls.Way;
import io.ensemble.primary.Leases;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.testkit.swmr.TwoSiteRuns.Run;
import org.junit.jupiter.api.Test;

/** An SWMR cache over two sites, of which an operator gives up now the one, now the other. */
class SwmrTwoSitesTest {

  /** How many, and from which on: the deep profile's can be run in parts. */
  private static final int SEEDS =
      Integer.getInteger("ensemble.seeds", Boolean.getBoolean("ensemble.deep") ? 600 : 25);

  private static final long FIRST = Long.getLong("ensemble.firstSeed", 0);

  @Test
  void everyHistoryIsLinearizableThoughEitherSiteIsGivenUpAgainAndAgain() {
    int done = 0;
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      Run run = new TwoSiteRuns(seed, PlantedRolls.leases(), Way.RIGHT).run();

      assertThat(run.verdict())
          .as("seed=%d %s", seed, run.verdict())
          .isInstanceOf(Verdict.Linearizable.class);
      assertThat(run.finished())
          .as("every call and command ends; seed=%d %s", seed, run)
          .isTrue();
      done += run.done();
    }
    System.out.printf("two sites, %d seeds: %d done%n", SEEDS, done);
    assertThat(done).isGreaterThan(SEEDS * 60);
  }

  /** Who is still trusted for a while reads and acknowledges what the others do not know. */
  @Test
  void goingOnWithoutOutwaitingTheLeasesIsCaught() {
    assertThat(isCaught(PlantedRolls.withoutWaiting(), Way.RIGHT)).isTrue();
  }

  /** Who reaches both sites goes on as before, beside those who count one. */
  @Test
  void aRecordThatStaysOpenIsCaught() {
    assertThat(isCaught(PlantedRolls.leases(), Way.NOT_CLOSED)).isTrue();
  }

  /** What nobody has read or written since is not at the site that came back. */
  @Test
  void aSiteThatCountsAsFilledAtOnceIsCaught() {
    assertThat(isCaught(PlantedRolls.leases(), Way.FILLED_AT_ONCE)).isTrue();
  }

  private static boolean isCaught(Leases leases, Way way) {
    for (long seed = 0; seed < 200; seed++) {
      Run run = new TwoSiteRuns(seed, leases, way).run();
      if (run.verdict() instanceof Verdict.Violation) {
        System.out.printf("%s caught at seed %d%n", way, seed);
        return true;
      }
    }
    return false;
  }
}
