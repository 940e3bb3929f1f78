package io.ensemble.cache.weak.replica;

import java.time.Duration;

/**
 * The options of a WEAK cache.
 *
 * @param ack when a write is answered
 * @param hedge how long a site may take before the next one is asked as well
 * @param copies the background copies to the other sites
 * @param comparison the comparison of sites
 * @param siblings how many concurrent values of a key are kept; with 1 the last writer wins
 */
public record WeakOptions(
    Ack ack, Duration hedge, CopyLimits copies, Comparison comparison, int siblings) {

  /** 50 ms hedge, an answer from the first site, and moderate bounds. */
  public static final WeakOptions DEFAULTS =
      new WeakOptions(
          Ack.LOCAL,
          Duration.ofMillis(50),
          new CopyLimits(64, 10_000, 32L << 20, Duration.ofSeconds(1), Duration.ofSeconds(5)),
          new Comparison(
              Duration.ofHours(1), Duration.ofMinutes(15), Duration.ofSeconds(10), 16, 256),
          1);

  public WeakOptions {
    positive(hedge, "hedge");
    positive(siblings, "siblings");
    if (comparison.grace().compareTo(copies.timeout().multipliedBy(4)) < 0) {
      throw new IllegalArgumentException(
          "grace must be at least four times the timeout of a copy; grace="
              + comparison.grace()
              + " timeout="
              + copies.timeout());
    }
  }

  /** These options with another {@code ack}. */
  public WeakOptions withAck(Ack other) {
    return new WeakOptions(other, hedge, copies, comparison, siblings);
  }

  /** These options with another {@code hedge}. */
  public WeakOptions withHedge(Duration other) {
    return new WeakOptions(ack, other, copies, comparison, siblings);
  }

  /** These options with other {@code copies}. */
  public WeakOptions withCopies(CopyLimits other) {
    return new WeakOptions(ack, hedge, other, comparison, siblings);
  }

  /** These options with another {@code comparison}. */
  public WeakOptions withComparison(Comparison other) {
    return new WeakOptions(ack, hedge, copies, other, siblings);
  }

  /** These options with another number of {@code siblings}. */
  public WeakOptions withSiblings(int other) {
    return new WeakOptions(ack, hedge, copies, comparison, other);
  }

  /**
   * The longest time that a request or a copy of a write may be under way. A tombstone older than
   * the grace has outlived every write that it must win against.
   */
  Duration longestWrite() {
    return comparison.grace().dividedBy(2);
  }

  /** When a write is answered. */
  public enum Ack {
    /** A single site, the nearest that works, has the write. */
    LOCAL,
    /** A majority of the cache's sites have the write. */
    MAJORITY
  }

  /**
   * Bounds on the copies to one site.
   *
   * @param window the largest number of copies under way
   * @param pending the largest number of waiting keys
   * @param pendingBytes the largest number of bytes of waiting entries
   * @param patience how long a write waits for room; then the site is left to a comparison
   * @param timeout how long one copy may take
   */
  public record CopyLimits(
      int window, int pending, long pendingBytes, Duration patience, Duration timeout) {

    public CopyLimits {
      positive(window, "window");
      positive(pending, "pending");
      positive(pendingBytes, "pendingBytes");
      positive(timeout, "timeout");
      if (patience.isNegative()) {
        throw new IllegalArgumentException("patience must not be negative; got=" + patience);
      }
    }
  }

  /**
   * The comparison of sites.
   *
   * @param grace how long a tombstone is kept: longer than clocks differ and four times {@link
   *     CopyLimits#timeout}
   * @param interval how often all sites are compared without need; zero for never
   * @param gap the shortest time between two automatic comparisons
   * @param width how many keys are compared at a time
   * @param batch how many entries a site is asked for at a time
   */
  public record Comparison(Duration grace, Duration interval, Duration gap, int width, int batch) {

    public Comparison {
      positive(grace, "grace");
      positive(gap, "gap");
      positive(width, "width");
      positive(batch, "batch");
      if (interval.isNegative()) {
        throw new IllegalArgumentException("interval must not be negative; got=" + interval);
      }
    }
  }

  private static void positive(long value, String name) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive; got=" + value);
    }
  }

  private static void positive(Duration value, String name) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive; got=" + value);
    }
  }
}
