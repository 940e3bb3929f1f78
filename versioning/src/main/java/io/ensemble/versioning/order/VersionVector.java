package io.ensemble.versioning.order;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The number of known versions of each writer.
 *
 * @param counts by writer, each above 0 and up to 2<sup>48</sup>, so that sums do not overflow;
 *     writers' names have 1 to 127 bytes
 */
public record VersionVector(SortedMap<String, Long> counts) {

  private static final long MOST = 1L << 48;

  /** No known version. */
  public static final VersionVector NONE = new VersionVector(new TreeMap<>());

  /** Copies the map. */
  public VersionVector {
    TreeMap<String, Long> copy = new TreeMap<>(); // In natural order.
    copy.putAll(counts);
    if (copy.values().stream().anyMatch(c -> c < 1 || c > MOST)) {
      throw new IllegalArgumentException("counts must be in [1, " + MOST + "]; got " + copy);
    }
    copy.keySet().forEach(VersionVector::checkWriter);
    counts = Collections.unmodifiableSortedMap(copy);
  }

  static void checkWriter(String name) {
    if (name.isEmpty() || name.getBytes(UTF_8).length > Byte.MAX_VALUE) {
      throw new IllegalArgumentException("a writer name must have 1 to 127 bytes; got " + name);
    }
  }

  /** The first version of {@code writer} alone. */
  public static VersionVector of(String writer) {
    return new VersionVector(new TreeMap<>(Map.of(writer, 1L)));
  }

  /** The number of known versions of {@code writer}. */
  public long count(String writer) {
    return counts.getOrDefault(writer, 0L);
  }

  /** Whether all versions known in {@code other} are known here. */
  public boolean contains(VersionVector other) {
    return other.counts.entrySet().stream().allMatch(e -> count(e.getKey()) >= e.getValue());
  }

  VersionVector join(VersionVector other) {
    TreeMap<String, Long> joined = new TreeMap<>(counts);
    other.counts.forEach((writer, count) -> joined.merge(writer, count, Math::max));
    return new VersionVector(joined);
  }

  /** One more version of each writer of {@code proposal}. */
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
