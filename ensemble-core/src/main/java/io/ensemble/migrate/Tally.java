package io.ensemble.migrate;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys a mover has compared or copied, in all and in the copy under way. Thread-safe. */
final class Tally {

  private final AtomicLong all = new AtomicLong();
  private final AtomicLong now = new AtomicLong();
  private final AtomicLong before = new AtomicLong();

  /** Another copy begins. */
  void begin() {
    long had = now.getAndSet(0);
    before.accumulateAndGet(had, Math::max);
  }

  void one() {
    all.incrementAndGet();
    now.incrementAndGet();
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
