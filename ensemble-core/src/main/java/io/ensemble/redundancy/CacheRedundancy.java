package io.ensemble.redundancy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How many replicas a cache has and how many of them are whole: the losses that it survives now. A
 * cache is under-replicated while replicas are missing; {@link #canLose} is the number of further
 * replicas that it can lose.
 *
 * @param cache its name
 * @param replicas those that the cache was asked to have, in the order of {@link
 *     CacheDefinition#sites()}
 * @param needed how many whole replicas a read or write needs
 */
public record CacheRedundancy(String cache, List<Replica> replicas, int needed) {

  /**
   * A replica and its state.
   *
   * @param name as in {@link CacheDefinition#sites()}
   */
  public record Replica(String name, ReplicaState state) {}

  public CacheRedundancy {
    replicas = List.copyOf(replicas);
  }

  /**
   * Computes the redundancy from a cache's record.
   *
   * @param look the state of a replica whose store the record names
   */
  public static CacheRedundancy of(StoredDefinition stored, Function<String, ReplicaState> look) {
    StoredDefinition served = stored.served();
    CacheDefinition definition = served.definition();
    // Other modes have only the first voter set.
    boolean isCounted = definition.mode() == Mode.SWMR;
    List<Replica> replicas = new ArrayList<>();
    for (String name : definition.sites()) {
      ReplicaState state;
      if (isCounted && !served.roll().counts(name)) {
        state = ReplicaState.LEFT_OUT;
      } else if (served.store(name).isEmpty()) {
        state = ReplicaState.NO_STORE;
      } else {
        state = look.apply(name);
      }
      replicas.add(new Replica(name, state));
    }
    int counting = isCounted ? served.roll().sites().size() : replicas.size();
    int needed = definition.mode() == Mode.WEAK ? 1 : counting / 2 + 1;
    return new CacheRedundancy(definition.name(), replicas, needed);
  }

  /** How many replicas the cache was asked to have. */
  public int asked() {
    return replicas.size();
  }

  /** How many of them are whole. */
  public int whole() {
    return asked() - missing().size();
  }

  /** The replicas that are not whole. */
  public List<Replica> missing() {
    return replicas.stream().filter(replica -> replica.state().isMissing()).toList();
  }

  /** Whether fewer replicas are whole than the cache was asked to have. */
  public boolean isUnderReplicated() {
    return whole() < asked();
  }

  /** Whether the cache can be read and written. */
  public boolean isServed() {
    return whole() >= needed;
  }

  /** How many more replicas the cache can lose. */
  public int canLose() {
    return Math.max(0, whole() - needed);
  }
}
