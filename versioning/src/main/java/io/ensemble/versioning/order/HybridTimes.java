package io.ensemble.versioning.order;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Times of hybrid clocks: near the clocks of the processes, and never behind a time that the
 * process has seen. So a version that is written after a read is larger than the version that was
 * read, also under another key. A process does not adopt a time that is ahead of its clock by more
 * than the maximum clock skew.
 */
public final class HybridTimes implements VersionSpace<HybridTime> {

  private static final HybridTime ZERO = new HybridTime(0, 0);

  /** The default of the skew, the assumed maximum difference of two clocks: 100 ms. */
  public static final Duration SKEW = Duration.ofMillis(100);

  /**
   * The default of the maximum clock skew, by which an accepted time may be ahead of this process's
   * clock: 1 min.
   */
  public static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(1);

  private final LongSupplier clock;
  private final long skewMillis;
  private final long maxSkewMillis;
  private final AtomicReference<HybridTime> last = new AtomicReference<>(ZERO);

  /** Uses the system clock. */
  public HybridTimes() {
    this(SKEW);
  }

  /**
   * Uses the system clock.
   *
   * @param skew the maximum difference between the clocks of two processes; by default 100 ms
   */
  public HybridTimes(Duration skew) {
    this(System::currentTimeMillis, skew);
  }

  /** Uses a clock in milliseconds since 1970. */
  public HybridTimes(LongSupplier clock) {
    this(clock, SKEW);
  }

  /**
   * Uses a clock in milliseconds since 1970, from which other clocks differ by at most {@code
   * skew}.
   */
  public HybridTimes(LongSupplier clock, Duration skew) {
    this(clock, skew, MAX_CLOCK_SKEW.compareTo(skew) < 0 ? skew : MAX_CLOCK_SKEW);
  }

  /**
   * Uses a clock in milliseconds since 1970.
   *
   * @param skew the maximum difference between the clocks of two processes; by default 100 ms
   * @param maxClockSkew by how much an accepted time may be ahead of this clock; at least {@code
   *     skew}, by default 1 min
   */
  public HybridTimes(LongSupplier clock, Duration skew, Duration maxClockSkew) {
    if (skew.isNegative()) {
      throw new IllegalArgumentException("clock skew must be 0 or more; got " + skew);
    }
    if (maxClockSkew.compareTo(skew) < 0) {
      throw new IllegalArgumentException(
          "maximum clock skew must be at least the skew; got " + maxClockSkew + " and " + skew);
    }
    this.clock = clock;
    this.skewMillis = skew.toMillis();
    this.maxSkewMillis = maxClockSkew.toMillis();
  }

  @Override
  public String name() {
    return "hybrid-times";
  }

  @Override
  public HybridTime initial() {
    return ZERO;
  }

  @Override
  public boolean isBelow(HybridTime a, HybridTime b) {
    return a.compareTo(b) < 0;
  }

  @Override
  public HybridTime join(HybridTime a, HybridTime b) {
    return a.compareTo(b) < 0 ? b : a;
  }

  @Override
  public HybridTime above(HybridTime bound, HybridTime proposal) {
    return isBelow(bound, proposal) ? proposal : bound.next();
  }

  /** Larger than each time that this process has seen or proposed. */
  @Override
  public HybridTime proposal() {
    long now = Math.max(0, clock.getAsLong());
    return last.updateAndGet(before -> above(before, new HybridTime(now, 0)));
  }

  @Override
  public OptionalLong millis(HybridTime version) {
    return OptionalLong.of(version.millis());
  }

  @Override
  public Optional<HybridTime> lastAt(long millis) {
    return Optional.of(millis < 0 ? ZERO : new HybridTime(millis, Integer.MAX_VALUE));
  }

  /**
   * The last time of a millisecond. The millisecond is the latest that any clock may show now, or
   * that of the next time after the highest one seen, whichever is later. So snapshots that follow
   * one another, each of which is seen, run ahead by a millisecond each, not by the skew.
   */
  @Override
  public HybridTime present() {
    long shown = Math.max(0, clock.getAsLong()) + skewMillis;
    return new HybridTime(
        Math.max(shown, Objects.requireNonNull(last.get()).next().millis()), Integer.MAX_VALUE);
  }

  @Override
  public OptionalLong now() {
    return OptionalLong.of(Math.max(0, clock.getAsLong()));
  }

  @Override
  public boolean isInFuture(HybridTime version) {
    return isBelow(present(), version);
  }

  @Override
  public boolean isTooFarAhead(HybridTime version) {
    long now = Math.max(0, clock.getAsLong());
    return version.millis() - maxSkewMillis > now
        && isBelow(Objects.requireNonNull(last.get()), version);
  }

  @Override
  public void observe(HybridTime version) {
    if (!isTooFarAhead(version)) {
      last.accumulateAndGet(version, this::join);
    }
  }

  @Override
  public boolean isTotal() {
    return true;
  }

  @Override
  public int compare(HybridTime a, HybridTime b) {
    return a.compareTo(b);
  }

  @Override
  public byte[] write(HybridTime version) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
        .putLong(version.millis())
        .putInt(version.count())
        .array();
  }

  @Override
  public HybridTime read(byte[] bytes) {
    if (bytes.length != Long.BYTES + Integer.BYTES) {
      throw new IllegalArgumentException("a hybrid time must have 12 bytes; got " + bytes.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new HybridTime(buffer.getLong(), buffer.getInt());
  }
}
