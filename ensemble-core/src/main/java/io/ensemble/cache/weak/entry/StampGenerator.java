package io.ensemble.cache.weak.entry;

import io.ensemble.ClockSkewException;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;

/**
 * Generates the stamp of each write. The stamp is higher than all stamps that this process has
 * written or read, even when the physical clock is behind or jumps back. Stamps that the clock
 * {@linkplain HybridClock#isTooFarAhead rejects} are excepted.
 */
public final class StampGenerator {

  private final HybridClock clock;
  private final WriterId writer;

  public StampGenerator(HybridClock clock, WriterId writer) {
    this.clock = clock;
    this.writer = writer;
  }

  public Stamp next() {
    return new Stamp(clock.next(), writer);
  }

  /** Whether {@link #next} is above {@code stamp} from now on; false if the clock rejects it. */
  public boolean observe(Stamp stamp) {
    return clock.observe(stamp.micros());
  }

  public boolean isTooFarAhead(Stamp stamp) {
    return clock.isTooFarAhead(stamp.micros());
  }

  /** The failure of a write over an entry of that stamp. */
  public ClockSkewException skewException(String cache, Stamp stamp) {
    return new ClockSkewException(cache, stamp, nowMicros(), clock.maxSkew());
  }

  public long nowMicros() {
    return clock.physicalMicros();
  }
}
