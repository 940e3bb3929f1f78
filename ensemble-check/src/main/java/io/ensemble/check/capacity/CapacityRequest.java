package io.ensemble.check.capacity;

import io.ensemble.Mode;

/**
 * What a cache is to hold.
 *
 * @param entries how many entries
 * @param keyBytes the bytes of a key
 * @param valueBytes the bytes of a value
 * @param sites the number of sites
 * @param nodes the nodes of each site
 * @param replicas the replicas of a strong cache, at all sites; 0 for the default
 * @param onDisk whether the sites keep their stores on disk
 * @param writesPerSecond of all clients
 * @param readsPerSecond of all clients
 */
public record CapacityRequest(
    Mode mode,
    long entries,
    int keyBytes,
    int valueBytes,
    int sites,
    int nodes,
    int replicas,
    boolean onDisk,
    long writesPerSecond,
    long readsPerSecond) {

  private static final int MOST_REPLICAS = 9;
  private static final int DEFAULT_AT_ONE_SITE = 3;

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public CapacityRequest {
    check("entries", entries, 1, 1_000_000_000_000L);
    check("key", keyBytes, 0, 1 << 20);
    check("value", valueBytes, 0, 1 << 30);
    check("sites", sites, 1, 64);
    check("nodes", nodes, 1, 1024);
    check("replicas", replicas, 0, MOST_REPLICAS);
    check("writes", writesPerSecond, 0, 1_000_000_000L);
    check("reads", readsPerSecond, 0, 1_000_000_000L);
    if (mode == Mode.WEAK && replicas != 0 && replicas != sites) {
      throw new IllegalArgumentException(
          "a WEAK cache has one replica at each site; got replicas=%d sites=%d"
              .formatted(replicas, sites));
    }
    if (mode != Mode.WEAK && replicas != 0 && replicas > sites * nodes) {
      throw new IllegalArgumentException(
          "each replica is on a node of its own; got replicas=%d nodes=%d"
              .formatted(replicas, sites * nodes));
    }
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be in [%d, %d]; got %d".formatted(name, least, most, value));
    }
  }

  /** The replicas that requests go to: of a strong cache those asked for, or the default. */
  int allReplicas() {
    if (mode == Mode.WEAK) {
      return sites;
    }
    if (replicas != 0) {
      return replicas;
    }
    if (sites == 1) {
      return Math.min(DEFAULT_AT_ONE_SITE, nodes);
    }
    return sites == 2 && mode == Mode.MWMR ? 2 * Math.min(2, nodes) : sites;
  }

  /** How many nodes hold a copy of an entry. A WEAK site has two owners, on disk all nodes. */
  int copies() {
    if (mode != Mode.WEAK) {
      return allReplicas();
    }
    return sites * (onDisk ? nodes : Math.min(2, nodes));
  }

  /** How many copies a node holds at most, as a share of the entries. */
  double shareOfNode() {
    return mode == Mode.WEAK ? (double) copies() / sites / nodes : 1;
  }
}
