package io.ensemble.migrate;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys a mover has compared or copied, in all and in the copy under way. Thread-safe. */
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
   * How far a pass has come, in keys and batches: one that begins again and again makes progress
   * only where it comes further than before.
   */
  void cameTo(long far) {
    furthest.accumulateAndGet(far, Math::max);
  }

  /** A pass has come to its end: the next one makes progress of its own. */
  void passed() {
    passed.addAndGet(furthest.getAndSet(0) + 1);
  }

  /** The stores are other ones, and so whatever is to come is progress. */
  void restarted() {
    passed();
  }

  /** Grows while passes come further. */
  long progress() {
    return passed.get() + furthest.get();
  }

  long all() {
    return all.get();
  }

  long now() {
    return now.get();
  }

  /** How many the largest copy before had; 0 when there was none. */
  long before() {
    return before.get();
  }
}
