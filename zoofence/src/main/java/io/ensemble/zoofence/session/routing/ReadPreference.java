package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.List;

/**
 * Where a path is read that several instances hold.
 *
 * @param nearestFirst the instances to prefer, by their numbers; without any, the canonical one of
 *     a path's holders is read, and behind a {@code sync} wherever the session has been elsewhere
 */
public record ReadPreference(List<Integer> nearestFirst) {
  /** At one instance for all clients, as fresh as from one ZooKeeper. */
  public static final ReadPreference CANONICAL = new ReadPreference(List.of());

  public ReadPreference {
    nearestFirst = List.copyOf(nearestFirst);
  }

  /** Whether reads may be older than what others have been told. */
  public boolean areRelaxed() {
    return !nearestFirst.isEmpty();
  }

  /** The instance that is read, of those that hold a path. */
  public int at(InstanceSet holders) {
    return nearestFirst.stream()
        .filter(holders::contains)
        .findFirst()
        .orElseGet(holders::canonical);
  }
}
