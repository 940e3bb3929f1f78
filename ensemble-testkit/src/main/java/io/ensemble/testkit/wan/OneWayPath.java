package io.ensemble.testkit.wan;

import java.util.Random;

/**
 * One direction between two hosts: decides when a packet arrives, or that it does not. A packet
 * waits until those before it are through, takes the line for as long as its bits need, and is
 * under way for the distance. What has to wait behind more than a round trip's worth of bytes, or
 * {@value #SHORTEST_QUEUE_BYTES}, finds the queue full, as at a router; what is lost is lost on the
 * way, and has taken the line. Arrivals keep the order of departures. Knows no clock; not
 * thread-safe.
 */
final class OneWayPath {

  /** In place of an instant: the packet does not arrive. */
  static final long NEVER = Long.MIN_VALUE;

  /** Under a hundred packets. */
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

  /** How much may wait: what one connection needs to keep the line full, and never very little. */
  static long queueBytes(PathProfile pathProfile) {
    double roundTrip = pathProfile.bitsPerSecond() / BIT_NANOS_PER_BYTE;
    return Math.max(
        SHORTEST_QUEUE_BYTES, Math.round(roundTrip * pathProfile.roundTrip().toNanos()));
  }

  /** The instant at which a packet arrives that is sent now, or {@link #NEVER}. */
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
