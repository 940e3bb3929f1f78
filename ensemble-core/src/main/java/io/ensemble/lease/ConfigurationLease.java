package io.ensemble.lease;

import java.util.Arrays;

/**
 * The leases of one process on one configuration, site by site: which sites have shown no end mark,
 * and when. The lease on the whole configuration holds while the leases of {@code needed} sites
 * hold. Where these are a majority, every majority with end marks shares a site with them.
 * Thread-safe; a query allocates nothing and takes no lock.
 */
public final class ConfigurationLease {

  private final ConfigurationLeaseRules rules;
  private final int needed;
  private final boolean[] alive;
  private final boolean[] ended;
  private final long[] since;
  private volatile CombinedLease combined = CombinedLease.NONE;

  /** The combined lease of all sites. */
  private record CombinedLease(boolean known, long since) {
    static final CombinedLease NONE = new CombinedLease(false, 0);
  }

  /**
   * @param sites the number of sites of the configuration
   * @param needed how many of their leases must hold at the same time
   */
  public ConfigurationLease(ConfigurationLeaseRules rules, int sites, int needed) {
    if (needed < 1 || needed > sites) {
      throw new IllegalArgumentException(
          "number of needed sites must be in [1, number of sites]; needed=%d sites=%d"
              .formatted(needed, sites));
    }
    this.rules = rules;
    this.needed = needed;
    alive = new boolean[sites];
    ended = new boolean[sites];
    since = new long[sites];
  }

  /** An independent copy in the same state, for state exploration. */
  public synchronized ConfigurationLease copy() {
    ConfigurationLease copy = new ConfigurationLease(rules, since.length, needed);
    System.arraycopy(alive, 0, copy.alive, 0, alive.length);
    System.arraycopy(ended, 0, copy.ended, 0, ended.length);
    System.arraycopy(since, 0, copy.since, 0, since.length);
    copy.combined = combined;
    return copy;
  }

  /** The site has shown no end mark to a request of {@code askedNanos}. */
  public synchronized void showedNoEnd(int site, long askedNanos, long answeredNanos) {
    long from = rules.since(askedNanos, answeredNanos);
    if (!ended[site] && (!alive[site] || from - since[site] > 0)) {
      alive[site] = true;
      since[site] = from;
      add();
    }
  }

  /** The site has shown an end mark, which stays. */
  public synchronized void showedEnd(int site) {
    ended[site] = true;
    alive[site] = false;
    add();
  }

  /** Whether the site has shown an end mark. */
  public synchronized boolean isEnded(int site) {
    return ended[site];
  }

  /** Whether any site has shown an end mark, so that the configuration is over or will soon be. */
  public synchronized boolean isEnding() {
    for (boolean one : ended) {
      if (one) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the sites that have shown no end mark are enough for a new lease on the configuration.
   */
  public synchronized boolean mayHoldAgain() {
    int left = 0;
    for (boolean one : ended) {
      left += one ? 0 : 1;
    }
    return left >= needed;
  }

  /** Whether the lease on the configuration holds now. */
  public boolean holds(long nowNanos) {
    CombinedLease now = combined;
    return now.known && rules.holds(now.since, nowNanos);
  }

  /** Whether the lease on one site holds now. */
  public synchronized boolean holds(int site, long nowNanos) {
    return alive[site] && rules.holds(since[site], nowNanos);
  }

  /** Whether it is time to renew the leases at all sites. */
  public boolean isStale(long nowNanos) {
    CombinedLease now = combined;
    return !now.known || nowNanos - now.since >= rules.renewalNanos();
  }

  /** Whether it is time to renew the lease at one site. */
  public synchronized boolean isStale(int site, long nowNanos) {
    return !alive[site] || nowNanos - since[site] >= rules.renewalNanos();
  }

  /** The number of sites of the configuration. */
  public int sites() {
    return since.length;
  }

  /** A fingerprint of the lease on a site at {@code nowNanos}, for state exploration. */
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
      combined = CombinedLease.NONE;
      return;
    }
    Arrays.sort(known, 0, count);
    combined = new CombinedLease(true, known[count - needed]);
  }
}
