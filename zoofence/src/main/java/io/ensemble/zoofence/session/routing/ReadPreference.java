package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.List;

/**
 * Selects the instance at which to read a path that several instances hold.
 *
 * @param nearestFirst the instances to prefer, by their numbers. If empty, reads go to the
 *     canonical instance of a path's holders, and follow a {@code sync} after a switch of instances
 */
public record ReadPreference(List<Integer> nearestFirst) {
  /** One instance for all clients; reads are as fresh as those of a single ZooKeeper. */
  public static final ReadPreference CANONICAL = new ReadPreference(List.of());

  public ReadPreference {
    nearestFirst = List.copyOf(nearestFirst);
  }

  /** Whether a read may be older than values that other clients have seen. */
  public boolean isRelaxed() {
    return !nearestFirst.isEmpty();
  }

  /** The instance to read at, among the holders of a path. */
  public int select(InstanceSet holders) {
    return nearestFirst.stream()
        .filter(holders::contains)
        .findFirst()
        .orElseGet(holders::canonical);
  }
}
