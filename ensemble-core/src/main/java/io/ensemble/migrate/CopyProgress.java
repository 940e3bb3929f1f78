package io.ensemble.migrate;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys a mover has compared or copied, in all and in the current copy. Thread-safe. */
final class CopyProgress {

  private final AtomicLong totalKeys = new AtomicLong();
  private final AtomicLong currentKeys = new AtomicLong();
  private final AtomicLong maxKeysBefore = new AtomicLong();
  private final AtomicLong finishedSteps = new AtomicLong();
  private final AtomicLong furthestStep = new AtomicLong();

  /** Another copy begins. */
  void beginScan() {
    long previousKeys = currentKeys.getAndSet(0);
    maxKeysBefore.accumulateAndGet(previousKeys, Math::max);
  }

  void countKey() {
    totalKeys.incrementAndGet();
    currentKeys.incrementAndGet();
  }

  /**
   * Records how far a scan has come, in keys and batches. A scan that restarts again and again
   * makes progress only where it comes further than before.
   */
  void recordStep(long step) {
    furthestStep.accumulateAndGet(step, Math::max);
  }

  /** A scan has ended: the next one makes progress of its own. */
  void finishScan() {
    finishedSteps.addAndGet(furthestStep.getAndSet(0) + 1);
  }

  /** The stores have been replaced, so that all later work is progress. */
  void restarted() {
    finishScan();
  }

  /** Grows while scans come further. */
  long progress() {
    return finishedSteps.get() + furthestStep.get();
  }

  long totalKeys() {
    return totalKeys.get();
  }

  long currentKeys() {
    return currentKeys.get();
  }

  /** The number of keys of the largest copy before; 0 when there was none. */
  long maxKeysBefore() {
    return maxKeysBefore.get();
  }
}
