package io.ensemble.cache.mwmr;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long each site takes to answer a request: a moving average, by which a read that needs only a
 * majority picks the nearest one. Now and then a read is to ask all, so that the averages of sites
 * that are not asked do not grow old. Thread-safe; a lost update of an average does no harm.
 */
final class AnswerTimes {

  /** One of so many reads asks all sites. */
  static final int FULL_READS = 16;

  /** Sites that take at most so much longer than the nearest majority are asked in turn. */
  private static final int A_QUARTER = 4;

  private static final int WEIGHT = 16;

  private final AtomicLongArray averageNanos;
  private final AtomicIntegerArray late;
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger turn = new AtomicInteger();

  AnswerTimes(int sites) {
    averageNanos = new AtomicLongArray(sites);
    late = new AtomicIntegerArray(sites);
  }

  /** A site answered a request after {@code nanos}. */
  void noteAnswer(int site, long nanos) {
    long before = averageNanos.get(site);
    averageNanos.set(site, before == 0 ? Math.max(1, nanos) : before + (nanos - before) / WEIGHT);
    if (late.get(site) != 0) {
      late.set(site, 0);
    }
  }

  /** A site did not answer, or not in time: it is the last to be asked until it answers. */
  void noteSilence(int site) {
    late.set(site, 1);
  }

  /** Whether the next read is to ask all sites. */
  boolean isFullReadDue() {
    return Math.floorMod(reads.incrementAndGet(), FULL_READS) == 0;
  }

  /** The majority that answers soonest; of sites that are about equally near, others each time. */
  BitSet nearestMajority() {
    int sites = averageNanos.length();
    int majority = sites / 2 + 1;
    long[] times = new long[sites];
    for (int site = 0; site < sites; site++) {
      times[site] = late.get(site) == 0 ? averageNanos.get(site) : Long.MAX_VALUE / 2;
    }
    long[] sorted = times.clone();
    Arrays.sort(sorted);
    long slowest = sorted[majority - 1];
    BitSet nearest = new BitSet(sites);
    for (int site = 0; site < sites; site++) {
      nearest.set(site, times[site] + times[site] / A_QUARTER < slowest);
    }
    int first = Math.floorMod(turn.getAndIncrement(), sites);
    for (int i = 0; i < sites && nearest.cardinality() < majority; i++) {
      int site = (first + i) % sites;
      if (times[site] - slowest / A_QUARTER <= slowest) {
        nearest.set(site);
      }
    }
    return nearest;
  }
}
