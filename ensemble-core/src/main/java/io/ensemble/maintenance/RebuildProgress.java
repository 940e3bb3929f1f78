package io.ensemble.maintenance;

import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a rebuild makes progress, from what one process observes of it. Pure: it reads no
 * clock. Not thread-safe.
 *
 * <p>A rebuild makes progress if its step or a counter of it changes. The process that carries it
 * out counts entries that it copies and entries that it only reads; another process sees the
 * entries copied, and each takeover.
 */
final class RebuildProgress {

  /**
   * The longest time between two observations. After a longer pause this process may have slept, so
   * it cannot conclude that the rebuild stood still.
   */
  static final Duration LONGEST_BLINDNESS = Duration.ofSeconds(10);

  /** How often the mover of one rebuild may begin again with other stores. */
  static final int MOST_TURNS = 5;

  private record Observation(ChangePhase step, long copied, long counter) {}

  private final Duration standstill;
  private @Nullable Observation last;
  private long firstTurn;
  private long turn;
  private long movedAtNanos;
  private long observedAtNanos;

  /**
   * @param standstill a rebuild without progress for this time stands still
   */
  RebuildProgress(Duration standstill, long nowNanos) {
    this.standstill = standstill;
    this.movedAtNanos = nowNanos;
    this.observedAtNanos = nowNanos;
  }

  /**
   * Records the state of a rebuild that this process carries out.
   *
   * @param progress the counter of its mover, which grows with each entry read or copied
   */
  void recordRun(ConfigurationChange change, long progress, long nowNanos) {
    record(new Observation(change.step(), 0, progress), nowNanos);
    firstTurn = firstTurn == 0 ? change.turn() : firstTurn;
    turn = change.turn();
  }

  /** Records the state of a rebuild that another process carries out, or none. */
  void recordElsewhere(ConfigurationChange change, long nowNanos) {
    record(new Observation(change.step(), change.beat().copied(), change.turn()), nowNanos);
  }

  private void record(Observation now, long nowNanos) {
    if (!now.equals(last) || nowNanos - observedAtNanos > LONGEST_BLINDNESS.toNanos()) {
      movedAtNanos = nowNanos;
    }
    last = now;
    observedAtNanos = nowNanos;
  }

  /** Whether the rebuild has made progress within the time after which it stands still. */
  boolean isMoving(long nowNanos) {
    return nowNanos - movedAtNanos < standstill.toNanos();
  }

  /**
   * Whether the rebuild of this process stands still, or has begun again so often that it will not
   * end.
   */
  boolean isStuck(long nowNanos) {
    return !isMoving(nowNanos) || turn - firstTurn >= MOST_TURNS;
  }
}
