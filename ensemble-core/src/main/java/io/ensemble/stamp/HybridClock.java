package io.ensemble.stamp;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Hybrid time: physical microseconds, but never twice the same value and never behind a time that
 * the clock has adopted (Kulkarni et al., Logical Physical Clocks, 2014, with both parts in one
 * number). Thread-safe.
 *
 * <p>The clock rejects a time that is ahead of its physical clock by more than the maximum skew,
 * unless it has given such a time itself: it never adopts one. So one process whose physical clock
 * is wrong cannot move the clocks of others further than the maximum skew. A clock cannot detect
 * that its own physical clock is ahead: it then sees no time that is ahead of its own.
 *
 * <p>Times that follow adopted ones are even, times above a rejected one are odd. So the two never
 * coincide, whatever the physical clock does later.
 */
public final class HybridClock {

  /**
   * The maximum skew unless another one is given: 1 min. Clocks that follow a time server differ by
   * far less, and the grace of a tombstone is far longer.
   */
  public static final Duration MAX_SKEW = Duration.ofMinutes(1);

  /** Receives each rejected time on the thread that observed it; must be quick. */
  @FunctionalInterface
  public interface RejectionListener {

    /** Ignores rejected times. */
    RejectionListener NONE = (rejectedMicros, nowMicros) -> {};

    /**
     * The clock has rejected a time.
     *
     * @param rejectedMicros the time, in microseconds since 1970
     * @param nowMicros physical time, in microseconds since 1970
     */
    void rejected(long rejectedMicros, long nowMicros);
  }

  private final LongSupplier physicalMicros;
  private final Duration maxSkew;
  private final long maxSkewMicros;
  private final RejectionListener rejectionListener;
  private final AtomicLong last = new AtomicLong();
  private final AtomicLong lastAhead = new AtomicLong();

  /**
   * A clock of {@link #MAX_SKEW}.
   *
   * @param physicalMicros microseconds since 1970; may jump either way
   */
  public HybridClock(LongSupplier physicalMicros) {
    this(physicalMicros, MAX_SKEW, RejectionListener.NONE);
  }

  /**
   * @param physicalMicros microseconds since 1970; may jump either way
   * @param maxSkew by how much a time may be ahead of physical time to be adopted; positive
   * @param rejectionListener receives the times that are not adopted
   */
  public HybridClock(
      LongSupplier physicalMicros, Duration maxSkew, RejectionListener rejectionListener) {
    if (maxSkew.isNegative() || maxSkew.isZero()) {
      throw new IllegalArgumentException("maximum clock skew must be positive; got " + maxSkew);
    }
    this.physicalMicros = physicalMicros;
    this.maxSkew = maxSkew;
    this.maxSkewMicros = maxSkew.toNanos() / 1000;
    this.rejectionListener = rejectionListener;
  }

  /** By how much a time may be ahead of physical time to be adopted. */
  public Duration maxSkew() {
    return maxSkew;
  }

  /** Whether the clock rejects {@code micros}; adopts nothing and reports nothing. */
  public boolean isTooFarAhead(long micros) {
    return micros > last.get() && micros - maxSkewMicros > physicalMicros.getAsLong();
  }

  /**
   * Adopts a time that another process has given, so that {@link #next} is above it, unless the
   * clock rejects it.
   *
   * @return false if the time was rejected
   */
  public boolean observe(long seen) {
    if (isRejected(seen)) {
      return false;
    }
    last.accumulateAndGet(seen, Math::max);
    return true;
  }

  /**
   * A time greater than {@code seen}, which this clock gives once. It is greater than every time
   * that the clock gave before, and is adopted, unless the clock rejects {@code seen}. Above a
   * rejected time the result serves only where the order of one key's writes needs it, as ballots
   * do: later times of this clock are below it.
   */
  public long after(long seen) {
    if (isRejected(seen)) {
      return lastAhead.updateAndGet(
          previous -> Math.addExact(Math.max(previous, seen), 1) | 1); // Odd.
    }
    long now = physicalMicros.getAsLong();
    return last.updateAndGet(
        previous -> {
          long time = Math.max(now, Math.addExact(Math.max(previous, seen), 1));
          return Math.addExact(time, time & 1); // Even.
        });
  }

  private boolean isRejected(long seen) {
    if (!isTooFarAhead(seen)) {
      return false;
    }
    rejectionListener.rejected(seen, physicalMicros.getAsLong());
    return true;
  }

  /** A time greater than every time that this clock has adopted. */
  public long next() {
    return after(0);
  }

  /** Physical microseconds since 1970, as the clock reads them: for deadlines, never for order. */
  public long physicalMicros() {
    return physicalMicros.getAsLong();
  }
}
