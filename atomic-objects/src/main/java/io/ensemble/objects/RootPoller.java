package io.ensemble.objects;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Reads an object again and again while callers wait for changes of it, in a store without events:
 * one read for all callers of a process. Pauses between reads grow by a quarter while the object
 * does not change, so that a caller learns of a change after at most a quarter more than the time
 * that the change took, and a long wait needs few reads. Thread-safe.
 */
final class RootPoller {

  static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
  static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
  private static final int PART_OF_GROWTH = 4;

  /** Runs a task after a pause. */
  interface Timer {
    void after(Duration pause, Runnable task);
  }

  private final Timer timer;
  private final Runnable read;
  private final BooleanSupplier isNeeded;
  private Duration pause = SHORTEST_PAUSE;
  private boolean polling;

  /** The pause before the poll that is scheduled. */
  private Duration scheduledPause = SHORTEST_PAUSE;

  /** The number of the last scheduled poll; an earlier one that is still due is ignored. */
  private long scheduled;

  /**
   * @param read starts a read of the object
   * @param isNeeded whether any caller waits, and the store has no events
   */
  RootPoller(Timer timer, Runnable read, BooleanSupplier isNeeded) {
    this.timer = timer;
    this.read = read;
    this.isNeeded = isNeeded;
  }

  /** A caller begins to wait. */
  synchronized void begin() {
    if (!polling && isNeeded.getAsBoolean()) {
      polling = true;
      pause = SHORTEST_PAUSE;
      scheduleNext();
    }
  }

  /** The object has changed: it may change again soon, so a poll that is due late is advanced. */
  synchronized void recordChange() {
    pause = SHORTEST_PAUSE;
    if (polling && scheduledPause.compareTo(SHORTEST_PAUSE) > 0) {
      scheduleNext();
    }
  }

  private void poll(long number) {
    synchronized (this) {
      if (number != scheduled) {
        return;
      }
      if (!isNeeded.getAsBoolean()) {
        polling = false;
        return;
      }
      scheduleNext();
    }
    read.run();
  }

  private void scheduleNext() {
    long number = ++scheduled;
    scheduledPause = pause;
    timer.after(pause, () -> poll(number));
    Duration longer = pause.plus(pause.dividedBy(PART_OF_GROWTH));
    pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
  }
}
