package io.ensemble.versioning.order;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Numbers above zero. What a process proposes is its clock in milliseconds, or one more than it has
 * met where that is larger: numbers of one key rise, and those of two keys follow the clocks.
 */
public final class Timestamps implements VersionSpace<Long> {

  /** No clock comes so far: versions above are bounds, which other keys' ones do not follow. */
  private static final long FARTHEST = Long.MAX_VALUE / 2;

  private final LongSupplier clock;
  private final long maxSkewMillis;
  private final AtomicLong last = new AtomicLong();

  /** By the system's clock. */
  public Timestamps() {
    this(System::currentTimeMillis);
  }

  /** By {@code clock}; one that always gives 0 makes plain counters. */
  public Timestamps(LongSupplier clock) {
    this(clock, HybridTimes.MAX_CLOCK_SKEW);
  }

  /**
   * By {@code clock}; one that always gives 0 makes plain counters, of which none is too far ahead.
   *
   * @param maxClockSkew how far ahead of the clock a number may be to be accepted; 1 min if not
   *     said
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

  /** A number is taken for one. */
  @Override
  public OptionalLong millis(Long version) {
    return OptionalLong.of(version);
  }

  @Override
  public OptionalLong now() {
    return OptionalLong.of(Math.max(0, clock.getAsLong()));
  }

  /** A bound: keys that are made after a cut so high could have no versions. */
  @Override
  public boolean isToCome(Long version) {
    return version > FARTHEST;
  }

  @Override
  public boolean isTooFarAhead(Long version) {
    long now = clock.getAsLong();
    return now > 0 && version - maxSkewMillis > now && version > last.get();
  }

  @Override
  public void saw(Long version) {
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
      throw new IllegalArgumentException("a number has 8 bytes; got " + bytes.length);
    }
    return ByteBuffer.wrap(bytes).getLong();
  }
}
