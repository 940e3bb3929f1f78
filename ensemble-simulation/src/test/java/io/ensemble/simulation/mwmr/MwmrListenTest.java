package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.listen.MergerBug;
import io.ensemble.simulation.listen.ListenWorkload;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener of an MWMR cache is shown each chosen write once, in order, or a gap. */
@Execution(ExecutionMode.CONCURRENT)
class MwmrListenTest {

  private static final int SEEDS = 20;

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyWriteIsShownOnceInOrderWhateverFails(int sites) {
    judge(sites, 0, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 5})
  void moreWritesAreShownOnceInOrderWhateverFails(int sites) {
    judge(sites, 10_000, 400);
  }

  private static void judge(int sites, long firstSeed, int seeds) {
    Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);
    long shown = 0;
    long written = 0;
    int restarts = 0;
    int recovered = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      MwmrListenWorkload workload = new MwmrListenWorkload(sites, seed, MergerBug.NONE);
      ListenWorkload run = workload.run();
      assertThat(run.violations()).as("sites=%d seed=%d", sites, seed).isEmpty();
      shown += run.shown();
      written += run.acknowledged();
      restarts += run.restarts();
      recovered += workload.recovered();
      for (GapReason reason : GapReason.values()) {
        gaps.merge(reason, run.gaps(reason), Long::sum);
      }
    }
    System.out.printf(
        "listener over %d sites: %d seeds, %d acknowledged writes, %d shown, %d restarts,"
            + " %d sites refilled, gaps %s%n",
        sites, seeds, written, shown, restarts, recovered, gaps);
    assertThat(shown).isGreaterThan(written / 4);
    assertThat(restarts).isPositive();
    if (sites > 1) {
      assertThat(recovered).isPositive();
    }
    assertThat(gaps.get(GapReason.OVERFLOW)).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "TAKES_REPLICAS_FOR_HISTORIES"})
  void aPlantedErrorIsFound(MergerBug bug) {
    for (long seed = 0; seed < 300; seed++) {
      List<String> wrong = new MwmrListenWorkload(3, seed, bug).run().violations();
      if (!wrong.isEmpty()) {
        System.out.printf("%s is found by seed %d: %s%n", bug, seed, wrong.get(0));
        return;
      }
    }
    throw new AssertionError("not found: " + bug);
  }
}
