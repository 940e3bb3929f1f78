package io.ensemble.testkit.link;

import java.util.concurrent.atomic.LongAdder;

/**
 * Lets so many bits through a second: a token bucket that holds no more than the message under way,
 * kept as the instant at which the bucket is full again. So a message is through when its last bit
 * is, and a thousand small ones take as long as one large. Shared by all connections in one
 * direction. Thread-safe.
 */
final class BandwidthLimiter {

  private static final double BIT_NANOS_PER_BYTE = 8e9;

  private final double nanosPerByte;
  private final LongAdder carried = new LongAdder();
  private boolean begun;
  private long freeAtNanos;

  /**
   * @param bitsPerSecond 0 for no bound
   */
  BandwidthLimiter(long bitsPerSecond) {
    nanosPerByte = bitsPerSecond == 0 ? 0 : BIT_NANOS_PER_BYTE / bitsPerSecond;
  }

  boolean bounds() {
    return nanosPerByte > 0;
  }

  /** How many bytes have come, through or still to be. */
  long carriedBytes() {
    return carried.sum();
  }

  /** The instant at which {@code bytes} that come at {@code nowNanos} are through. */
  long through(long nowNanos, int bytes) {
    carried.add(bytes);
    if (!bounds()) {
      return nowNanos;
    }
    synchronized (this) {
      if (!begun || freeAtNanos - nowNanos < 0) {
        begun = true;
        freeAtNanos = nowNanos;
      }
      freeAtNanos += Math.round(bytes * nanosPerByte);
      return freeAtNanos;
    }
  }
}
