package io.ensemble.cache.mwmr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long each site takes to answer a request, as a moving average. A read that needs only a
 * majority uses the averages to pick the nearest one. From time to time a read asks all sites, so
 * that the averages of the other sites do not become outdated. Thread-safe; a lost update of an
 * average does no harm.
 */
final class AnswerTimes {

  /** Each read of this number asks all sites. */
  static final int FULL_READS = 16;

  /** Sites slower than the nearest majority by at most this fraction take turns. */
  private static final int A_QUARTER = 4;

  private static final int WEIGHT = 16;

  /**
   * A sample counts at most this multiple of the average. So a short pause of a site, with several
   * requests under way, does not make the site appear distant.
   */
  private static final int LARGEST_SAMPLE = 2;

  private static final int PATIENCE = 4;
  private static final long LEAST_PATIENCE_NANOS = 5_000_000;
  private static final long MOST_PATIENCE_NANOS = 500_000_000;

  private final AtomicLongArray averageNanos;
  private final AtomicIntegerArray lateSites;
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger rotation = new AtomicInteger();

  AnswerTimes(int sites) {
    averageNanos = new AtomicLongArray(sites);
    lateSites = new AtomicIntegerArray(sites);
  }

  /** Records that a site answered a request after {@code nanos}. */
  void recordAnswer(int site, long nanos) {
    long previousNanos = averageNanos.get(site);
    long sample =
        Math.max(1, previousNanos == 0 ? nanos : Math.min(nanos, LARGEST_SAMPLE * previousNanos));
    averageNanos.set(
        site, previousNanos == 0 ? sample : previousNanos + (sample - previousNanos) / WEIGHT);
    if (lateSites.get(site) != 0) {
      lateSites.set(site, 0);
    }
  }

  /**
   * Records that a site has not answered for {@code nanos}. If that is longer than usual, the site
   * is asked last until it answers.
   */
  void recordSilence(int site, long nanos) {
    if (nanos >= averageNanos.get(site)) {
      lateSites.set(site, 1);
    }
  }

  /** How long a read waits for {@code sites} before it asks the other sites. */
  long patienceNanos(BitSet sites) {
    return patienceNanos(sites.stream().mapToLong(averageNanos::get).max().orElse(0));
  }

  private static long patienceNanos(long slowest) {
    return Math.max(LEAST_PATIENCE_NANOS, Math.min(MOST_PATIENCE_NANOS, PATIENCE * slowest));
  }

  /** Whether the next read is to ask all sites. */
  boolean isFullReadDue() {
    return Math.floorMod(reads.incrementAndGet(), FULL_READS) == 0;
  }

  /** The majority that answers soonest; sites at about equal distance take turns. */
  BitSet nearestMajority() {
    int sites = averageNanos.length();
    int majority = sites / 2 + 1;
    long[] times = new long[sites];
    for (int site = 0; site < sites; site++) {
      times[site] = lateSites.get(site) == 0 ? averageNanos.get(site) : Long.MAX_VALUE / 2;
    }
    long[] sorted = times.clone();
    Arrays.sort(sorted);
    long slowest = sorted[majority - 1];
    BitSet nearest = new BitSet(sites);
    List<Integer> candidates = new ArrayList<>(sites);
    for (int site = 0; site < sites; site++) {
      if (times[site] + times[site] / A_QUARTER < slowest) {
        nearest.set(site);
      } else if (times[site] - slowest / A_QUARTER <= slowest) {
        candidates.add(site);
      }
    }
    int offset = rotation.getAndIncrement();
    for (int i = 0; nearest.cardinality() < majority; i++) {
      nearest.set(candidates.get(Math.floorMod(offset + i, candidates.size())));
    }
    return nearest;
  }
}
