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

  /** How many looks for one posted batch follow each other closely; the later ones less so. */
  static final int DENSE_LOOKS = 4;

  /** The numbers of the outstanding looks, and the times at which they were sent. */
  private final Map<Long, Long> outstanding = new TreeMap<>();

  private long latest = -1;

  /** A look was sent, in parallel or not. */
  void recordLook(long number) {
    latest = number;
  }

  void add(long number, long now) {
    outstanding.put(number, now);
    recordLook(number);
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
}
