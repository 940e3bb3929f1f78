package io.ensemble.deploy.check;

import java.util.Locale;

/** What may befall a site, or the cache. */
public enum FaultKind {
  /** All of a site's nodes die at once, and are started again later. */
  KILL(1_500, 4_000),
  /** One node of a site dies, and is started again later. */
  NODE(1_500, 3_000),
  /**
   * A site, or one node of it, is stopped: connections stay, nothing is answered; continued later.
   */
  PAUSE(1_000, 4_000),
  /** A site, or one node of it, loses its connections and gets no others. */
  CUT(1_000, 4_000),
  /** Only one direction works: requests arrive and answers do not, or neither do requests. */
  ONEWAY(1_000, 3_000),
  /** A site, or one node of it, answers late. */
  SLOW(2_000, 4_000),
  /** A site dies and is back at once, knowing nothing, among clients that rely on it. */
  AMNESIA(500, 2_000),
  /**
   * The cache comes to other sites, as long as that takes; who carries that out may die, and a
   * client process sleeps meanwhile.
   */
  RECONFIGURE(2_500, 4_000);

  private final int shortestMillis;
  private final int longestMillis;

  FaultKind(int shortestMillis, int longestMillis) {
    this.shortestMillis = shortestMillis;
    this.longestMillis = longestMillis;
  }

  int shortestMillis() {
    return shortestMillis;
  }

  int longestMillis() {
    return longestMillis;
  }

  /** Whether it may be done to one node alone as well as to a whole site. */
  boolean mayBeOfOneNode() {
    return this == PAUSE || this == CUT || this == ONEWAY || this == SLOW;
  }

  /** Whether it befalls a site; else the cache. */
  public boolean isOfASite() {
    return this != RECONFIGURE;
  }

  /** Whether a whole site under it gives no answers. */
  boolean silences() {
    return this != SLOW && this != NODE && isOfASite();
  }

  /** Whether the site has lost what it held. */
  boolean takesMemory(boolean killedSitesRemember) {
    return this == AMNESIA || (this == KILL && !killedSitesRemember);
  }

  /** As it is typed. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
