package io.ensemble.sibling;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A version vector: for each actor the time of its latest write that was seen, and so were all that
 * it made before. Immutable.
 *
 * @param latest times in microseconds, by actor
 */
public record Causes(SortedMap<Actor, Long> latest) {

  /** Nothing was seen. */
  public static final Causes NONE = new Causes(new TreeMap<>());

  public Causes {
    latest = Collections.unmodifiableSortedMap(new TreeMap<>(latest));
  }

  /** Whether that write of {@code actor} was seen. */
  public boolean covers(Actor actor, long micros) {
    return latest(actor) >= micros;
  }

  /** The time of the latest write of {@code actor}; -1 when none was seen. */
  long latest(Actor actor) {
    return latest.getOrDefault(actor, -1L);
  }

  /** Whether all that {@code other} has seen was seen here. */
  public boolean covers(Causes other) {
    return other.latest.entrySet().stream()
        .allMatch(write -> covers(write.getKey(), write.getValue()));
  }

  /** What either has seen. */
  public Causes join(Causes other) {
    SortedMap<Actor, Long> all = new TreeMap<>(latest);
    other.latest.forEach((actor, micros) -> all.merge(actor, micros, Math::max));
    return new Causes(all);
  }

  /** These and one write more. */
  Causes with(Actor actor, long micros) {
    SortedMap<Actor, Long> more = new TreeMap<>(latest);
    more.merge(actor, micros, Math::max);
    return new Causes(more);
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
