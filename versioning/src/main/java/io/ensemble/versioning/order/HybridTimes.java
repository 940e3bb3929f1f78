package io.ensemble.versioning.order;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Times of hybrid clocks: near the processes' clocks, and never behind what a process has met, so
 * that what was written after reading something has a larger version, also under another key. A
 * time that is ahead of a process's clock by more than the maximum clock skew is not followed.
 */
public final class HybridTimes implements VersionSpace<HybridTime> {

  private static final HybridTime ZERO = new HybridTime(0, 0);

  /** How far clocks are taken to be apart at most, unless said. */
  public static final Duration SKEW = Duration.ofMillis(100);

  /** How far ahead of this process's clock a time may be to be accepted, unless said: 1 min. */
  public static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(1);

  private final LongSupplier clock;
  private final long skewMillis;
  private final long maxSkewMillis;
  private final AtomicReference<HybridTime> last = new AtomicReference<>(ZERO);

  /** By the system's clock. */
  public HybridTimes() {
    this(SKEW);
  }

  /**
   * By the system's clock.
   *
   * @param skew how far the clocks of two processes are apart at most; 100 ms if not said
   */
  public HybridTimes(Duration skew) {
    this(System::currentTimeMillis, skew);
  }

  /** By a clock that gives milliseconds since 1970. */
  public HybridTimes(LongSupplier clock) {
    this(clock, SKEW);
  }

  /** By a clock that gives milliseconds since 1970, and others that far from it at most. */
  public HybridTimes(LongSupplier clock, Duration skew) {
    this(clock, skew, MAX_CLOCK_SKEW.compareTo(skew) < 0 ? skew : MAX_CLOCK_SKEW);
  }

  /**
   * By a clock that gives milliseconds since 1970.
   *
   * @param skew how far the clocks of two processes are apart at most; 100 ms if not said
   * @param maxClockSkew how far ahead of this clock a time may be to be accepted; {@code skew} or
   *     more, 1 min if not said
   */
  public HybridTimes(LongSupplier clock, Duration skew, Duration maxClockSkew) {
    if (skew.isNegative()) {
      throw new IllegalArgumentException("clocks are 0 or more apart; got " + skew);
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

  /** Larger than each that this process has met or proposed. */
  @Override
  public HybridTime proposal() {
    long now = Math.max(0, clock.getAsLong());
    return last.updateAndGet(before -> above(before, new HybridTime(now, 0)));
  }

  @Override
  public OptionalLong millis(HybridTime version) {
    return OptionalLong.of(version.millis());
  }

  /**
   * The end of the time that any process's clock may show by now, or of what follows the highest
   * that this one has met. So cuts that follow one another, each of which is met, run ahead by a
   * millisecond, not by the skew.
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
  public boolean isToCome(HybridTime version) {
    return isBelow(present(), version);
  }

  @Override
  public boolean isTooFarAhead(HybridTime version) {
    long now = Math.max(0, clock.getAsLong());
    return version.millis() - maxSkewMillis > now
        && isBelow(Objects.requireNonNull(last.get()), version);
  }

  @Override
  public void saw(HybridTime version) {
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
      throw new IllegalArgumentException("a hybrid time has 12 bytes; got " + bytes.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new HybridTime(buffer.getLong(), buffer.getInt());
  }
}
