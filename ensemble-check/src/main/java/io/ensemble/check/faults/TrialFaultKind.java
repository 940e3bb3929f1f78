package io.ensemble.check.faults;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of faults of a federation; most affect one of its sites. */
public enum TrialFaultKind {
  /** All nodes of a site die together, and are started again later. */
  KILL(1_500, 4_000),
  /** One node of a site dies, and is started again later. */
  NODE(1_500, 3_000),
  /**
   * A site, or one node of it, is paused: connections stay open, no response is sent; it resumes
   * later.
   */
  PAUSE(1_000, 4_000),
  /** A site, or one node of it, loses its connections and accepts no others. */
  CUT(1_000, 4_000),
  /** Only one direction fails: responses are held, or requests as well. */
  ONEWAY(1_000, 3_000),
  /** A site, or one node of it, responds late. */
  SLOW(2_000, 4_000),
  /** A site dies and is back immediately without any data, among clients that rely on it. */
  AMNESIA(500, 2_000),
  /**
   * Every node of every site is restarted, one after the other. Each is down for so long, and the
   * next one is stopped when all replicas of the cache are there again.
   */
  ROLLING(500, 1_500),
  /**
   * The nodes of a site, or one of them and the others, do not reach each other. Each continues to
   * serve its clients.
   */
  SPLIT(1_500, 4_000),
  /** The server of the catalog dies, or is paused, and continues later. */
  CATALOG(1_000, 4_000),
  /**
   * The cache moves to other sites, for as long as that takes. The mover may die, and a client
   * process is paused meanwhile.
   */
  RECONFIGURE(2_500, 4_000),
  /**
   * A node of a site that holds a replica of the cache dies or is cut off. The cache gets new
   * stores on nodes that answer, for as long as that takes, while a client process is paused. Then
   * the node is back, with the former store or without.
   */
  REPLACE(1_000, 4_000),
  /**
   * The node that is the primary owner of an atomic object's root dies, and is started again later.
   */
  OWNER(1_500, 3_000),
  /** A client process of atomic objects dies during a call; another takes its place. */
  CLIENT(500, 1_500),
  /** Clients of atomic objects receive change events late, twice, or not at all. */
  EVENTS(2_000, 4_000),
  /**
   * The process of a listener dies, is paused, or closes its stream; it continues from its last
   * position.
   */
  LISTENER(500, 4_000),
  /** The process of ZooFence that leads most queues dies, and is started again later. */
  LEADER(500, 3_000),
  /** A process of ZooFence dies, or is paused; it is started again or resumes. */
  PROXY(500, 5_000),
  /**
   * The session of a ZooFence client is ended by another client, or its process is paused, perhaps
   * for longer than its sessions live.
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

  /** The kinds that affect a site, whatever data is in it. */
  static Set<TrialFaultKind> ofSites() {
    return Arrays.stream(values())
        .filter(kind -> kind.isOfASite() && !kind.isOfObjects() && !kind.isAChange())
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(TrialFaultKind.class)));
  }

  /** The kinds of {@code possible} that are used by default. */
  public static Set<TrialFaultKind> defaults(Set<TrialFaultKind> possible) {
    Set<TrialFaultKind> kinds = ofSites();
    kinds.add(ROLLING);
    kinds.retainAll(possible);
    return kinds;
  }

  /** Whether it affects one of the sites. */
  boolean isOfASite() {
    return switch (this) {
      case ROLLING, CATALOG, RECONFIGURE, CLIENT, EVENTS, LISTENER, LEADER, PROXY, SESSION -> false;
      default -> true;
    };
  }

  /** Whether the cache moves to other stores meanwhile. */
  public boolean isAChange() {
    return this == RECONFIGURE || this == REPLACE;
  }

  /** Whether it always affects one node of a site. */
  boolean isOfOneNode() {
    return this == NODE || this == REPLACE;
  }

  /** Whether it is for trials of atomic objects only. */
  public boolean isOfObjects() {
    return this == OWNER || this == CLIENT || this == EVENTS;
  }

  /** Whether it is for trials with listeners only. */
  public boolean isOfListeners() {
    return this == LISTENER;
  }

  /** Whether it is for trials of ZooFence only. */
  public boolean isOfZooFence() {
    return this == LEADER || this == PROXY || this == SESSION;
  }

  /** Whether it may affect one node alone as well as a whole site. */
  boolean mayBeOfOneNode() {
    return this == PAUSE || this == CUT || this == ONEWAY || this == SLOW || this == SPLIT;
  }

  /**
   * Whether it may be in one round with {@code other}. During a rolling restart no other fault
   * stops or starts nodes. No store is created at a site whose nodes are split, and a cache has one
   * change at a time.
   */
  boolean mayMeet(TrialFaultKind other) {
    return switch (this) {
      case ROLLING -> other == CUT || other == ONEWAY || other == SLOW || other == LISTENER;
      case SPLIT, RECONFIGURE, REPLACE -> !other.isAChange();
      default -> true;
    };
  }

  /** Whether a whole site with this fault sends no responses. */
  boolean silences() {
    return isOfASite() && !isOfOneNode() && this != SLOW && this != OWNER && this != SPLIT;
  }

  /**
   * Whether the site has lost its data. With three sites or more, each holds a strong cache on one
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

  /** Whether replicas of the cache are lost, with one node or with all nodes of a site. */
  boolean losesReplicas(boolean killedSitesRemember) {
    return this == AMNESIA || (!killedSitesRemember && (this == KILL || isOfOneNode()));
  }

  /** The word for the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
