package io.ensemble.objects.protocol;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The reads that a session sends although another request is outstanding: each read that arrives
 * meanwhile can then be answered after one round trip of its own, a combiner learns of batches
 * while its step is written, and a session that waits for a combiner learns of the step sooner.
 * Bounded.
 */
final class ParallelLooks {

  /** The maximum number at a time; later reads share the next look. */
  static final int MOST = 3;

  /** How many looks in parallel a session sends for one posted batch. */
  static final int MOST_FOR_A_BATCH = 4;

  /** The numbers of the outstanding looks, and the times at which they were sent. */
  private final Map<Long, Long> outstanding = new TreeMap<>();

  private long latest = -1;
  private long latestAt = Long.MIN_VALUE / 2;

  /** A look was sent, in parallel or not. */
  void recordLook(long number, long now) {
    latest = number;
    latestAt = now;
  }

  void add(long number, long now) {
    outstanding.put(number, now);
    recordLook(number, now);
  }

  /** The time at which a look was sent that has ended; empty if it is not outstanding. */
  OptionalLong end(long number) {
    Long sentAt = outstanding.remove(number);
    return sentAt == null ? OptionalLong.empty() : OptionalLong.of(sentAt);
  }

  boolean hasRoom() {
    return outstanding.size() < MOST;
  }

  boolean isEmpty() {
    return outstanding.isEmpty();
  }

  /** The number of the last look that was sent, in parallel or not; -1 if there is none. */
  long latest() {
    return latest;
  }

  /** The time at which the last look was sent, in parallel or not. */
  long latestAt() {
    return latestAt;
  }
}
