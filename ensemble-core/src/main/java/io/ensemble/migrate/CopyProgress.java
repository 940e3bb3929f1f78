package io.ensemble.migrate;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys a mover has compared or copied, in all and in the current copy. Thread-safe. */
final class CopyProgress {

  private final AtomicLong all = new AtomicLong();
  private final AtomicLong now = new AtomicLong();
  private final AtomicLong before = new AtomicLong();
  private final AtomicLong passed = new AtomicLong();
  private final AtomicLong furthest = new AtomicLong();

  /** Another copy begins. */
  void begin() {
    long had = now.getAndSet(0);
    before.accumulateAndGet(had, Math::max);
  }

  void one() {
    all.incrementAndGet();
    now.incrementAndGet();
  }

  /**
   * Records how far a scan has come, in keys and batches. A scan that restarts again and again
   * makes progress only where it comes further than before.
   */
  void cameTo(long far) {
    furthest.accumulateAndGet(far, Math::max);
  }

  /** A scan has ended: the next one makes progress of its own. */
  void passed() {
    passed.addAndGet(furthest.getAndSet(0) + 1);
  }

  /** The stores have been replaced, so that all later work is progress. */
  void restarted() {
    passed();
  }

  /** Grows while scans come further. */
  long progress() {
    return passed.get() + furthest.get();
  }

  long all() {
    return all.get();
  }

  long now() {
    return now.get();
  }

  /** The number of keys of the largest copy before; 0 when there was none. */
  long before() {
    return before.get();
  }
}
