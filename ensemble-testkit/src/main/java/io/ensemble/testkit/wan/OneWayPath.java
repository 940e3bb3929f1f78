package io.ensemble.testkit.wan;

import java.util.Random;

/**
 * One direction between two hosts: computes when a packet arrives, or that it does not. A packet
 * waits until those before it have passed, occupies the line for as long as its bits need, and is
 * then in flight for the one-way delay. The queue holds the bytes of one round trip, or {@value
 * #SHORTEST_QUEUE_BYTES} if that is more; further packets are dropped, as at a router. A packet
 * lost by chance is lost in flight, after it has occupied the line. Arrivals keep the order of
 * departures. Uses no clock; not thread-safe.
 */
final class OneWayPath {

  /** Returned as the arrival of a packet that does not arrive. */
  static final long NEVER = Long.MIN_VALUE;

  /** Less than 100 packets. */
  static final int SHORTEST_QUEUE_BYTES = 128 << 10;

  private static final double BIT_NANOS_PER_BYTE = 8e9;

  private final long oneWayNanos;
  private final double nanosPerByte;
  private final double loss;
  private final double longestWaitNanos;
  private final Random chance;
  private boolean begun;
  private long freeAtNanos;
  private boolean cut;

  OneWayPath(PathProfile pathProfile, long seed) {
    oneWayNanos = pathProfile.oneWayNanos();
    nanosPerByte =
        pathProfile.bitsPerSecond() == 0 ? 0 : BIT_NANOS_PER_BYTE / pathProfile.bitsPerSecond();
    loss = pathProfile.loss();
    longestWaitNanos = queueBytes(pathProfile) * nanosPerByte;
    chance = new Random(seed);
  }

  /**
   * The size of the queue in bytes: enough for one connection to keep the line full, and not below
   * a minimum.
   */
  static long queueBytes(PathProfile pathProfile) {
    double roundTrip = pathProfile.bitsPerSecond() / BIT_NANOS_PER_BYTE;
    return Math.max(
        SHORTEST_QUEUE_BYTES, Math.round(roundTrip * pathProfile.roundTrip().toNanos()));
  }

  /** The instant at which a packet sent now arrives, or {@link #NEVER}. */
  long arrival(long nowNanos, int bytes) {
    if (cut) {
      return NEVER;
    }
    if (!begun || freeAtNanos - nowNanos < 0) {
      begun = true;
      freeAtNanos = nowNanos;
    }
    if (nanosPerByte > 0 && freeAtNanos - nowNanos > longestWaitNanos) {
      return NEVER;
    }
    freeAtNanos += Math.round(bytes * nanosPerByte);
    return loss > 0 && chance.nextDouble() < loss ? NEVER : freeAtNanos + oneWayNanos;
  }

  void cut(boolean wanted) {
    cut = wanted;
  }

  boolean isCut() {
    return cut;
  }
}
