package io.ensemble.rest.resource;

import io.ensemble.Mode;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.placement.ReplicaName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How many more replicas a cache can lose, by its mode and by which of them are there.
 *
 * @param up how many of the replicas that count have their store, at a site that is not thought to
 *     be down
 * @param needed how many of them it takes to read and write
 */
record Standing(int up, int needed) {

  /**
   * @param away the sites that are thought to be suspected or down
   */
  static Standing of(StoredDefinition stored, Set<String> away) {
    StoredDefinition served = stored.served();
    List<String> counting =
        served.definition().mode() == Mode.SWMR
            ? served.roll().sites()
            : served.definition().sites();
    int up =
        (int)
            counting.stream()
                .filter(replica -> served.store(replica).isPresent())
                .filter(replica -> !away.contains(ReplicaName.siteOf(replica)))
                .count();
    int needed = served.definition().mode() == Mode.WEAK ? 1 : counting.size() / 2 + 1;
    return new Standing(up, needed);
  }

  /** The same of a cache of parts, each of which has to be there. */
  Standing and(Standing other) {
    return other.canLose() < canLose() || !other.isServed() ? other : this;
  }

  boolean isServed() {
    return up >= needed;
  }

  int canLose() {
    return Math.max(0, up - needed);
  }

  Map<String, Object> document() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("sitesUp", up);
    shown.put("sitesNeeded", needed);
    shown.put("canLose", canLose());
    shown.put("served", isServed());
    return shown;
  }
}
