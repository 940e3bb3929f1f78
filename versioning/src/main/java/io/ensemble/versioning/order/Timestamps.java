package io.ensemble.versioning.order;

import java.nio.ByteBuffer;
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
  private final AtomicLong last = new AtomicLong();

  /** By the system's clock. */
  public Timestamps() {
    this(System::currentTimeMillis);
  }

  /** By {@code clock}; one that always gives 0 makes plain counters. */
  public Timestamps(LongSupplier clock) {
    this.clock = clock;
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
  public void saw(Long version) {
    if (version <= FARTHEST) {
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
