package io.ensemble.lease;

import java.util.Arrays;

/**
 * What one process has heard of the end of one configuration, site by site. The configuration as a
 * whole is trusted while {@code needed} of its sites are: where those are a majority, a majority
 * with ends shares a site with them. Thread-safe; asking allocates nothing and takes no lock.
 */
public final class ConfigurationLease {

  private final LeaseRules rules;
  private final int needed;
  private final boolean[] alive;
  private final boolean[] ended;
  private final long[] since;
  private volatile Sum sum = Sum.NONE;

  /** What all sites together say. */
  private record Sum(boolean known, long since) {
    static final Sum NONE = new Sum(false, 0);
  }

  /**
   * @param sites how many sites the configuration has
   * @param needed how many of them must be trusted at once
   */
  public ConfigurationLease(LeaseRules rules, int sites, int needed) {
    if (needed < 1 || needed > sites) {
      throw new IllegalArgumentException(
          "one site is needed, and no more than there are; needed=%d sites=%d"
              .formatted(needed, sites));
    }
    this.rules = rules;
    this.needed = needed;
    alive = new boolean[sites];
    ended = new boolean[sites];
    since = new long[sites];
  }

  /** The same, going its own way from here. For exploring. */
  public synchronized ConfigurationLease copy() {
    ConfigurationLease copy = new ConfigurationLease(rules, since.length, needed);
    System.arraycopy(alive, 0, copy.alive, 0, alive.length);
    System.arraycopy(ended, 0, copy.ended, 0, ended.length);
    System.arraycopy(since, 0, copy.since, 0, since.length);
    copy.sum = sum;
    return copy;
  }

  /** The site showed no end to a question of {@code askedNanos}. */
  public synchronized void showedNoEnd(int site, long askedNanos, long answeredNanos) {
    long from = rules.since(askedNanos, answeredNanos);
    if (!ended[site] && (!alive[site] || from - since[site] > 0)) {
      alive[site] = true;
      since[site] = from;
      add();
    }
  }

  /** The site showed the end, which stays. */
  public synchronized void showedEnd(int site) {
    ended[site] = true;
    alive[site] = false;
    add();
  }

  /** Whether the site showed an end. */
  public synchronized boolean isEnded(int site) {
    return ended[site];
  }

  /** Whether some site showed an end, so that the configuration is over or will soon be. */
  public synchronized boolean isEnding() {
    for (boolean one : ended) {
      if (one) {
        return true;
      }
    }
    return false;
  }

  /** Whether enough sites have shown no end that the configuration can be trusted again. */
  public synchronized boolean mayHoldAgain() {
    int left = 0;
    for (boolean one : ended) {
      left += one ? 0 : 1;
    }
    return left >= needed;
  }

  /** Whether the configuration is trusted now. */
  public boolean holds(long nowNanos) {
    Sum now = sum;
    return now.known && rules.holds(now.since, nowNanos);
  }

  /** Whether one site is trusted now. */
  public synchronized boolean holds(int site, long nowNanos) {
    return alive[site] && rules.holds(since[site], nowNanos);
  }

  /** Whether it is time to ask all sites again. */
  public boolean isStale(long nowNanos) {
    Sum now = sum;
    return !now.known || nowNanos - now.since >= rules.renewalNanos();
  }

  /** Whether it is time to ask one site again. */
  public synchronized boolean isStale(int site, long nowNanos) {
    return !alive[site] || nowNanos - since[site] >= rules.renewalNanos();
  }

  /** How many sites the configuration has. */
  public int sites() {
    return since.length;
  }

  /** A fingerprint of what is known at {@code nowNanos} of a site; for exploring. */
  public synchronized long digest(int site, long nowNanos) {
    long age = alive[site] ? nowNanos - since[site] : -1;
    return 2 * age + (ended[site] ? 1 : 0);
  }

  private void add() {
    long[] known = new long[since.length];
    int count = 0;
    for (int site = 0; site < since.length; site++) {
      if (alive[site]) {
        known[count++] = since[site];
      }
    }
    if (count < needed) {
      sum = Sum.NONE;
      return;
    }
    Arrays.sort(known, 0, count);
    sum = new Sum(true, known[count - needed]);
  }
}
