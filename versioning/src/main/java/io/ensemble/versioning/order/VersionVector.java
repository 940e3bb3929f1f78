package io.ensemble.versioning.order;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many versions of each writer are known.
 *
 * @param counts by writer, each above 0
 */
public record VersionVector(SortedMap<String, Long> counts) {

  /** Nothing is known. */
  public static final VersionVector NONE = new VersionVector(new TreeMap<>());

  /** Copies the map. */
  public VersionVector {
    if (counts.values().stream().anyMatch(c -> c < 1)) {
      throw new IllegalArgumentException("counts above 0 are wanted; got " + counts);
    }
    counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** The first version of {@code writer}, by itself. */
  public static VersionVector of(String writer) {
    return new VersionVector(new TreeMap<>(Map.of(writer, 1L)));
  }

  /** How many versions of {@code writer} are known. */
  public long count(String writer) {
    return counts.getOrDefault(writer, 0L);
  }

  /** Whether all that is known in {@code other} is known here. */
  public boolean contains(VersionVector other) {
    return other.counts.entrySet().stream().allMatch(e -> count(e.getKey()) >= e.getValue());
  }

  VersionVector join(VersionVector other) {
    TreeMap<String, Long> joined = new TreeMap<>(counts);
    other.counts.forEach((writer, count) -> joined.merge(writer, count, Math::max));
    return new VersionVector(joined);
  }

  /** One more of each writer of {@code proposal}. */
  VersionVector next(VersionVector proposal) {
    TreeMap<String, Long> next = new TreeMap<>(counts);
    proposal.counts.keySet().forEach(writer -> next.merge(writer, 1L, Math::addExact));
    return new VersionVector(next);
  }

  long sum() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
