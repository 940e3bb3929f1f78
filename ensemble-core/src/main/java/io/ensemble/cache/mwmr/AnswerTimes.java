package io.ensemble.cache.mwmr;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long each site takes to answer a request: a moving average, by which a read that needs only a
 * majority picks the nearest one. Thread-safe; a lost update of an average does no harm.
 */
final class AnswerTimes {

  /** Sites that take at most so much longer than the nearest majority are asked in turn. */
  private static final int A_QUARTER = 4;

  private static final int WEIGHT = 16;
  private static final long LOST = Long.MAX_VALUE / 2;

  private final AtomicLongArray averageNanos;
  private final AtomicInteger turn = new AtomicInteger();

  AnswerTimes(int sites) {
    averageNanos = new AtomicLongArray(sites);
  }

  /** A site answered a request after {@code nanos}. */
  void answered(int site, long nanos) {
    long before = averageNanos.get(site);
    boolean isKnown = before > 0 && before < LOST;
    averageNanos.set(site, isKnown ? before + (nanos - before) / WEIGHT : Math.max(1, nanos));
  }

  /** A site did not answer, or not in time: it is the last to be asked until it answers. */
  void lost(int site) {
    averageNanos.set(site, LOST);
  }

  /** The majority that answers soonest; of sites that are about equally near, others each time. */
  BitSet nearestMajority() {
    int sites = averageNanos.length();
    int majority = sites / 2 + 1;
    long[] sorted = new long[sites];
    for (int site = 0; site < sites; site++) {
      sorted[site] = averageNanos.get(site);
    }
    long[] times = sorted.clone();
    Arrays.sort(sorted);
    long slowest = sorted[majority - 1];
    long near = slowest + slowest / A_QUARTER;
    int first = Math.floorMod(turn.getAndIncrement(), sites);
    BitSet nearest = new BitSet(sites);
    for (int i = 0; i < sites && nearest.cardinality() < majority; i++) {
      int site = (first + i) % sites;
      if (times[site] <= near) {
        nearest.set(site);
      }
    }
    return nearest;
  }
}
