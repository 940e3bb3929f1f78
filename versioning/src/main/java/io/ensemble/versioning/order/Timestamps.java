package io.ensemble.versioning.order;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Numbers above zero. A process proposes its clock in milliseconds, or the largest number that it
 * has seen if that is larger. The number of a version exceeds all others of its key; numbers of
 * different keys follow the clocks.
 */
public final class Timestamps implements VersionSpace<Long> {

  /**
   * No clock reaches this number: larger versions are bounds, and versions of other keys do not
   * follow them.
   */
  private static final long FARTHEST = Long.MAX_VALUE / 2;

  private final LongSupplier clock;
  private final long maxSkewMillis;
  private final AtomicLong last = new AtomicLong();

  /** Uses the system clock. */
  public Timestamps() {
    this(System::currentTimeMillis);
  }

  /** Uses {@code clock}; a clock that always returns 0 makes plain counters. */
  public Timestamps(LongSupplier clock) {
    this(clock, HybridTimes.MAX_CLOCK_SKEW);
  }

  /**
   * Uses {@code clock}; a clock that always returns 0 makes plain counters, of which none is too
   * far ahead.
   *
   * @param maxClockSkew by how much an accepted number may be ahead of the clock; by default 1 min
   */
  public Timestamps(LongSupplier clock, Duration maxClockSkew) {
    if (maxClockSkew.isNegative()) {
      throw new IllegalArgumentException(
          "maximum clock skew must not be negative; got " + maxClockSkew);
    }
    this.clock = clock;
    this.maxSkewMillis = maxClockSkew.toMillis();
  }

  @Override
  public String name() {
    return "timestamps";
  }

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public boolean isBelow(Long a, Long b) {
    return a < b;
  }

  @Override
  public Long join(Long a, Long b) {
    return Math.max(a, b);
  }

  @Override
  public Long above(Long bound, Long proposal) {
    return Math.max(Math.addExact(bound, 1), proposal);
  }

  @Override
  public Long proposal() {
    return Math.max(clock.getAsLong(), last.get());
  }

  /** Interprets the number as a time. */
  @Override
  public OptionalLong millis(Long version) {
    return OptionalLong.of(version);
  }

  @Override
  public Optional<Long> lastAt(long millis) {
    return Optional.of(Math.max(0, millis));
  }

  @Override
  public OptionalLong now() {
    return OptionalLong.of(Math.max(0, clock.getAsLong()));
  }

  /** Larger versions are bounds: keys created after such a snapshot could have no versions. */
  @Override
  public boolean isInFuture(Long version) {
    return version > FARTHEST;
  }

  @Override
  public boolean isTooFarAhead(Long version) {
    long now = clock.getAsLong();
    return now > 0 && version - maxSkewMillis > now && version > last.get();
  }

  @Override
  public void observe(Long version) {
    if (version <= FARTHEST && !isTooFarAhead(version)) {
      last.accumulateAndGet(version, Math::max);
    }
  }

  @Override
  public boolean isTotal() {
    return true;
  }

  @Override
  public int compare(Long a, Long b) {
    return Long.compare(a, b);
  }

  @Override
  public byte[] write(Long version) {
    return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
  }

  @Override
  public Long read(byte[] bytes) {
    if (bytes.length != Long.BYTES) {
      throw new IllegalArgumentException("a timestamp must have 8 bytes; got " + bytes.length);
    }
    return ByteBuffer.wrap(bytes).getLong();
  }
}
