package io.ensemble.stamp;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Hybrid time: physical microseconds, but never twice the same value and never behind what was seen
 * (Kulkarni et al., Logical Physical Clocks, 2014, with both parts in one number). Thread-safe.
 */
public final class HybridClock {

  private final LongSupplier physicalMicros;
  private final AtomicLong last = new AtomicLong();

  /**
   * @param physicalMicros microseconds since 1970; may jump either way
   */
  public HybridClock(LongSupplier physicalMicros) {
    this.physicalMicros = physicalMicros;
  }

  /** A time greater than {@code seen} and than every time that this clock gave before. */
  public long after(long seen) {
    long now = physicalMicros.getAsLong();
    return last.updateAndGet(previous -> Math.max(now, Math.addExact(Math.max(previous, seen), 1)));
  }

  /** A time greater than every time that this clock gave before. */
  public long next() {
    return after(0);
  }

  /** Physical microseconds since 1970, as the clock reads them: for deadlines, never for order. */
  public long physicalMicros() {
    return physicalMicros.getAsLong();
  }
}
