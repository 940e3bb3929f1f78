package io.ensemble.migrate;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys a mover has compared or copied, in all and in the copy under way. Thread-safe. */
final class Tally {

  private final AtomicLong all = new AtomicLong();
  private final AtomicLong now = new AtomicLong();
  private final AtomicLong before = new AtomicLong();
  private final AtomicLong progress = new AtomicLong();

  /** Another copy begins. */
  void begin() {
    long had = now.getAndSet(0);
    before.accumulateAndGet(had, Math::max);
  }

  void one() {
    all.incrementAndGet();
    now.incrementAndGet();
  }

  /** A batch was looked at, in which nothing may have been new. */
  void batch() {
    progress.incrementAndGet();
  }

  /** Grows with each key and each batch. */
  long progress() {
    return progress.get() + all.get();
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
