package io.ensemble.cache.weak;

import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives each write its stamp: above everything that this engine has written or read, even when the
 * physical clock is behind or jumps back.
 */
final class Stamps {

  private final HybridClock clock;
  private final WriterId writer;
  private final AtomicLong seen = new AtomicLong();

  Stamps(HybridClock clock, WriterId writer) {
    this.clock = clock;
    this.writer = writer;
  }

  Stamp next() {
    return new Stamp(clock.after(seen.get()), writer);
  }

  /** As {@link #next}, and above {@code micros}. */
  Stamp after(long micros) {
    return new Stamp(clock.after(Math.max(micros, seen.get())), writer);
  }

  void saw(Stamp stamp) {
    long known = seen.get();
    while (stamp.micros() > known && !seen.compareAndSet(known, stamp.micros())) {
      known = seen.get();
    }
  }

  long nowMicros() {
    return clock.physicalMicros();
  }
}
