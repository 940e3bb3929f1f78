package io.ensemble;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A quorum that was not reached: how many sites were needed, and which ones answered.
 *
 * @param needed how many sites had to answer
 * @param sites how many sites hold the cache
 * @param heard the sites that answered
 * @param silent the others, each with a short reason
 */
public record QuorumFailure(int needed, int sites, Set<String> heard, Map<String, String> silent) {

  public QuorumFailure {
    heard = java.util.Collections.unmodifiableSet(new TreeSet<>(heard));
    silent = java.util.Collections.unmodifiableMap(new TreeMap<>(silent));
  }

  @Override
  public String toString() {
    return "quorum needs "
        + needed
        + " of "
        + sites
        + " sites; answered="
        + heard
        + " silent="
        + silent;
  }
}
