package io.ensemble.cache.mwmr;

import io.ensemble.register.RegisterDigest;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long an operation waits for the last site after a majority has answered, and before its next
 * attempt. The first wait follows the recent response time of the slowest site. Thread-safe; a lost
 * update of the average does no harm.
 */
final class WaitPolicy {

  private static final long LEAST_NANOS = 5_000_000;
  private static final long MOST_NANOS = 500_000_000;
  private static final long FIRST_PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 100_000_000;
  private static final int TIMES_THE_AVERAGE = 4;
  private static final int WEIGHT = 16;

  private final long seed;
  private final AtomicLong pauses = new AtomicLong();
  private volatile long averageNanos = LEAST_NANOS;

  /**
   * @param seed different for each client; otherwise the clients would retry in step
   */
  WaitPolicy(long seed) {
    this.seed = seed;
  }

  /** Records that every site answered a read, the last of them after {@code nanos}. */
  void recordFullResponse(long nanos) {
    averageNanos += (Math.min(nanos, MOST_NANOS) - averageNanos) / WEIGHT;
  }

  /** How long to wait for sites that are slower than a majority. */
  long patienceNanos() {
    return Math.max(LEAST_NANOS, Math.min(MOST_NANOS, averageNanos * TIMES_THE_AVERAGE));
  }

  /** How long after a read a write may start from what it showed, as from a read of its own. */
  long freshNanos() {
    return 2 * averageNanos;
  }

  /**
   * A pause that lets a rival go on: half to one round trip. A ballot takes two or three, so a
   * rival may need several pauses.
   */
  long yieldNanos() {
    long random = RegisterDigest.mix(seed + pauses.incrementAndGet());
    return averageNanos / 2 + Math.floorMod(random, Math.max(1, averageNanos / 2));
  }

  /** A pause before the next attempt: random, and longer on average with each attempt. */
  long pauseNanos(int attempt) {
    long maxNanos = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(attempt, 10));
    long random = RegisterDigest.mix(seed + pauses.incrementAndGet());
    return FIRST_PAUSE_NANOS / 4 + Math.floorMod(random, maxNanos);
  }
}
