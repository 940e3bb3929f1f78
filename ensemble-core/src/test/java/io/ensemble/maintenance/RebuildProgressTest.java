package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** When a rebuild counts as one that makes progress. */
class RebuildProgressTest {

  private static final Duration STANDSTILL = Duration.ofMinutes(2);
  private static final Duration BEAT = Duration.ofSeconds(2);

  private long now = Duration.ofHours(1).toNanos();
  private ConfigurationChange change =
      ConfigurationChange.begun(
          CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build(),
          Map.of("a", "0000000a", "b", "0000000b", "c", "0000000c"),
          "1".repeat(32),
          new TreeSet<>());
  private final RebuildProgress progress = new RebuildProgress(STANDSTILL, now);

  /** Observes the run of this process each beat for a time; {@code counter} grows by {@code by}. */
  private void observe(Duration time, long counter, long by) {
    long end = now + time.toNanos();
    for (long value = counter; now < end; value += by) {
      now += BEAT.toNanos();
      progress.recordRun(change, value, now);
    }
  }

  private void beginAgain() {
    change = change.takenOver("2".repeat(32), new TreeMap<>(change.incarnations()), List.of());
  }

  @Test
  void aRebuildWhoseCounterStandsIsStuckAfterTheStandstill() {
    progress.recordRun(change, 7, now);
    observe(STANDSTILL.minus(BEAT), 7, 0);
    assertThat(progress.isStuck(now)).isFalse();

    observe(BEAT, 7, 0);

    assertThat(progress.isMoving(now)).isFalse();
    assertThat(progress.isStuck(now)).isTrue();
  }

  /** A comparison of many entries may find nothing to copy. */
  @Test
  void entriesThatAreOnlyReadCountAsProgress() {
    observe(STANDSTILL.multipliedBy(5), 1, 100);

    assertThat(progress.isStuck(now)).isFalse();
  }

  @Test
  void anotherStepCountsAsProgress() {
    progress.recordRun(change, 7, now);
    observe(STANDSTILL.minus(BEAT), 7, 0);
    change = change.at(ChangePhase.CUTOVER);
    observe(STANDSTILL.minus(BEAT), 7, 0);

    assertThat(progress.isStuck(now)).isFalse();
  }

  @Test
  void aProcessThatSleptDoesNotConcludeThatTheRebuildStoodStill() {
    progress.recordRun(change, 7, now);
    now += STANDSTILL.multipliedBy(3).toNanos();
    progress.recordRun(change, 7, now);
    assertThat(progress.isStuck(now)).isFalse();

    observe(STANDSTILL, 7, 0);
    assertThat(progress.isStuck(now)).as("awake for the whole standstill").isTrue();
  }

  @Test
  void aRebuildThatBeganAgainFiveTimesIsStuckAlthoughItMoves() {
    for (int turn = 0; turn < RebuildProgress.MOST_TURNS; turn++) {
      observe(BEAT, 100L * turn, 1);
      assertThat(progress.isStuck(now)).isFalse();
      beginAgain();
    }
    observe(BEAT, 1_000, 1);

    assertThat(progress.isMoving(now)).isTrue();
    assertThat(progress.isStuck(now)).isTrue();
  }

  /** Only the turns of this process count: the mover before may have been another process. */
  @Test
  void turnsBeforeThisProcessTookOverDoNotCount() {
    for (int turn = 0; turn < 2 * RebuildProgress.MOST_TURNS; turn++) {
      beginAgain();
    }

    observe(BEAT, 1, 1);

    assertThat(progress.isStuck(now)).isFalse();
  }

  @Test
  void aRebuildElsewhereMovesWithItsHeartbeatsCopies() {
    progress.recordElsewhere(change, now);
    for (int beat = 0; beat < 100; beat++) {
      now += BEAT.toNanos();
      progress.recordElsewhere(change, now);
    }
    assertThat(progress.isMoving(now)).isFalse();

    beginAgain();
    progress.recordElsewhere(change, now);
    assertThat(progress.isMoving(now)).as("taken over").isTrue();
  }
}
