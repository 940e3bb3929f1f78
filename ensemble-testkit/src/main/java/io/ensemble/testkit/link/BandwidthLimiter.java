package io.ensemble.testkit.link;

import java.util.concurrent.atomic.LongAdder;

/**
 * Limits the bits per second with a token bucket. The bucket holds no more than the message under
 * way and is stored as the instant at which it is full again. So a message has passed when its last
 * bit has, and a thousand small messages take as long as one large one. Shared by all connections
 * in one direction. Thread-safe.
 */
final class BandwidthLimiter {

  private static final double BIT_NANOS_PER_BYTE = 8e9;

  private final double nanosPerByte;
  private final LongAdder carried = new LongAdder();
  private boolean begun;
  private long freeAtNanos;

  /**
   * @param bitsPerSecond the limit; 0 for none
   */
  BandwidthLimiter(long bitsPerSecond) {
    nanosPerByte = bitsPerSecond == 0 ? 0 : BIT_NANOS_PER_BYTE / bitsPerSecond;
  }

  boolean bounds() {
    return nanosPerByte > 0;
  }

  /** The number of bytes accepted so far, whether or not they have passed yet. */
  long carriedBytes() {
    return carried.sum();
  }

  /** The instant at which {@code bytes} that arrive at {@code nowNanos} have passed. */
  long passedNanos(long nowNanos, int bytes) {
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
