package io.ensemble.sibling;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A version vector: for each actor, the time of its latest write that was seen. All earlier writes
 * of that actor were seen as well. Immutable.
 *
 * @param latest times in microseconds, by actor
 */
public record ActorVersionVector(SortedMap<Actor, Long> latest) {

  /** The vector of a key without any write. */
  public static final ActorVersionVector NONE = new ActorVersionVector(new TreeMap<>());

  public ActorVersionVector {
    latest = Collections.unmodifiableSortedMap(new TreeMap<>(latest));
  }

  /** Whether this write of {@code actor} was seen. */
  public boolean covers(Actor actor, long micros) {
    return latest(actor) >= micros;
  }

  /** The time of the latest write of {@code actor}; -1 when none was seen. */
  long latest(Actor actor) {
    return latest.getOrDefault(actor, -1L);
  }

  /** Whether this vector includes all writes that {@code other} includes. */
  public boolean covers(ActorVersionVector other) {
    return other.latest.entrySet().stream()
        .allMatch(write -> covers(write.getKey(), write.getValue()));
  }

  /** The writes that either vector includes. */
  public ActorVersionVector join(ActorVersionVector other) {
    SortedMap<Actor, Long> all = new TreeMap<>(latest);
    other.latest.forEach((actor, micros) -> all.merge(actor, micros, Math::max));
    return new ActorVersionVector(all);
  }

  /** This vector and one more write. */
  ActorVersionVector with(Actor actor, long micros) {
    SortedMap<Actor, Long> more = new TreeMap<>(latest);
    more.merge(actor, micros, Math::max);
    return new ActorVersionVector(more);
  }

  /** The time of the latest of all; 0 when there is none. */
  public long latestMicros() {
    return latest.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  @Override
  public String toString() {
    return Map.copyOf(latest).toString();
  }
}
