package io.ensemble.check.faults;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What may befall a federation: one of its sites, mostly. */
public enum TrialFaultKind {
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
   * Every node of every site is restarted, one after the other; each is down for so long, and the
   * next one goes when all replicas of the cache are there again.
   */
  ROLLING(500, 1_500),
  /**
   * The nodes of a site, or one of them and the others, do not reach each other. Each goes on
   * serving its clients.
   */
  SPLIT(1_500, 4_000),
  /** The catalog's server dies, or is stopped where it stands, and goes on later. */
  CATALOG(1_000, 4_000),
  /**
   * The cache comes to other sites, as long as that takes; who carries that out may die, and a
   * client process sleeps meanwhile.
   */
  RECONFIGURE(2_500, 4_000),
  /**
   * A node of a site that holds a replica of the cache dies or is cut off. The cache gets new
   * stores on nodes that answer, as long as that takes, while a client process sleeps; then the
   * node is back, with the former store or without.
   */
  REPLACE(1_000, 4_000),
  /**
   * The node dies that is the primary owner of an atomic object's root, and is started again later.
   */
  OWNER(1_500, 3_000),
  /** A client process of atomic objects dies in a call; another takes its place. */
  CLIENT(500, 1_500),
  /** Clients of atomic objects hear of changes late, twice, or not at all. */
  EVENTS(2_000, 4_000),
  /** The process of ZooFence dies that leads most queues, and is started again later. */
  LEADER(500, 3_000),
  /** A process of ZooFence dies, or is stopped where it stands; it is started again or goes on. */
  PROXY(500, 5_000),
  /**
   * A session of a client of ZooFence is ended by somebody else, or its process is stopped where it
   * stands, perhaps for longer than its sessions live.
   */
  SESSION(500, 7_000);

  private final int shortestMillis;
  private final int longestMillis;

  TrialFaultKind(int shortestMillis, int longestMillis) {
    this.shortestMillis = shortestMillis;
    this.longestMillis = longestMillis;
  }

  int shortestMillis() {
    return shortestMillis;
  }

  int longestMillis() {
    return longestMillis;
  }

  /** Those that befall a site, whatever is in it. */
  static Set<TrialFaultKind> ofSites() {
    return Arrays.stream(values())
        .filter(kind -> kind.isOfASite() && !kind.isOfObjects() && !kind.isAChange())
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(TrialFaultKind.class)));
  }

  /** Those of {@code possible} that come unless others are asked for. */
  public static Set<TrialFaultKind> unasked(Set<TrialFaultKind> possible) {
    Set<TrialFaultKind> kinds = ofSites();
    kinds.add(ROLLING);
    kinds.retainAll(possible);
    return kinds;
  }

  /** Whether it befalls one of the sites. */
  boolean isOfASite() {
    return switch (this) {
      case ROLLING, CATALOG, RECONFIGURE, CLIENT, EVENTS, LEADER, PROXY, SESSION -> false;
      default -> true;
    };
  }

  /** Whether the cache comes to other stores meanwhile. */
  public boolean isAChange() {
    return this == RECONFIGURE || this == REPLACE;
  }

  /** Whether it befalls one node of a site, always. */
  boolean isOfOneNode() {
    return this == NODE || this == REPLACE;
  }

  /** Whether it is for trials of atomic objects only. */
  public boolean isOfObjects() {
    return this == OWNER || this == CLIENT || this == EVENTS;
  }

  /** Whether it is for trials of ZooFence only. */
  public boolean isOfZooFence() {
    return this == LEADER || this == PROXY || this == SESSION;
  }

  /** Whether it may be done to one node alone as well as to a whole site. */
  boolean mayBeOfOneNode() {
    return this == PAUSE || this == CUT || this == ONEWAY || this == SLOW || this == SPLIT;
  }

  /**
   * Whether it may come in one round with {@code other}. While nodes are restarted in turn no other
   * fault stops or starts nodes, no store is created at a site whose nodes are apart, and a cache
   * has one change at a time.
   */
  boolean mayMeet(TrialFaultKind other) {
    return switch (this) {
      case ROLLING -> other == CUT || other == ONEWAY || other == SLOW;
      case SPLIT, RECONFIGURE, REPLACE -> !other.isAChange();
      default -> true;
    };
  }

  /** Whether a whole site under it gives no answers. */
  boolean silences() {
    return isOfASite() && !isOfOneNode() && this != SLOW && this != OWNER && this != SPLIT;
  }

  /**
   * Whether the site has lost what it held. Of three sites or more each holds a strong cache on one
   * of its nodes.
   */
  boolean takesMemory(boolean killedSitesRemember, int sites) {
    return switch (this) {
      case AMNESIA -> true;
      case KILL -> !killedSitesRemember;
      case NODE -> !killedSitesRemember && sites >= 3;
      default -> false;
    };
  }

  /** Whether replicas of the cache are lost, with a node or with all of a site's. */
  boolean losesReplicas(boolean killedSitesRemember) {
    return this == AMNESIA || (!killedSitesRemember && (this == KILL || isOfOneNode()));
  }

  /** As it is typed. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
