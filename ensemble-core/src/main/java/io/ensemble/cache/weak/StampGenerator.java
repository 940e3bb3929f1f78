package io.ensemble.cache.weak;

import io.ensemble.ClockSkewException;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;

/**
 * Gives each write its stamp: above everything that this process has written or read, even when the
 * physical clock is behind or jumps back; but not above stamps that its clock {@linkplain
 * HybridClock#isTooFarAhead rejects}.
 */
final class StampGenerator {

  private final HybridClock clock;
  private final WriterId writer;

  StampGenerator(HybridClock clock, WriterId writer) {
    this.clock = clock;
    this.writer = writer;
  }

  Stamp next() {
    return new Stamp(clock.next(), writer);
  }

  /** Whether {@link #next} is above {@code stamp} from now on; false if the clock rejects it. */
  boolean saw(Stamp stamp) {
    return clock.observe(stamp.micros());
  }

  boolean isTooFarAhead(Stamp stamp) {
    return clock.isTooFarAhead(stamp.micros());
  }

  /** Why nothing is written over an entry of that stamp. */
  ClockSkewException rejected(String cache, Stamp stamp) {
    return new ClockSkewException(cache, stamp, nowMicros(), clock.maxSkew());
  }

  long nowMicros() {
    return clock.physicalMicros();
  }
}
