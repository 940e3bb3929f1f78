package io.ensemble.cli.demo.versions;

import io.ensemble.testkit.trace.TraceVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The versions of a trace, in the simplest form: the reference for the cache. */
final class TraceHistory {

  /** By key, its versions with their values; empty for a removal. */
  final Map<String, TreeMap<Long, Optional<byte[]>>> keys = new HashMap<>();

  long first = Long.MAX_VALUE;
  long last;
  long versions;
  long bytes;

  void add(TraceVersion next) {
    keys.computeIfAbsent(next.key(), k -> new TreeMap<>()).put(next.version(), next.value());
    first = Math.min(first, next.version());
    last = Math.max(last, next.version());
    versions++;
    bytes += next.value().map(v -> v.length).orElse(0);
  }

  /** The value of a key as of {@code version}. */
  Optional<byte[]> at(String key, long version) {
    Map.Entry<Long, Optional<byte[]>> found =
        Objects.requireNonNull(keys.get(key)).floorEntry(version);
    return found == null ? Optional.empty() : found.getValue();
  }

  /**
   * The numbers of keys that had a value at the second of two moments only, at both but another
   * one, or at the first only.
   */
  Changes between(long before, long after) {
    int added = 0;
    int changed = 0;
    int removed = 0;
    for (Map.Entry<String, TreeMap<Long, Optional<byte[]>>> key : keys.entrySet()) {
      Map.Entry<Long, Optional<byte[]>> was = key.getValue().floorEntry(before);
      Map.Entry<Long, Optional<byte[]>> is = key.getValue().floorEntry(after);
      boolean isPresentBefore = was != null && was.getValue().isPresent();
      boolean has = is != null && is.getValue().isPresent();
      added += !isPresentBefore && has ? 1 : 0;
      removed += isPresentBefore && !has ? 1 : 0;
      changed += isPresentBefore && has && !was.getKey().equals(is.getKey()) ? 1 : 0;
    }
    return new Changes(added, changed, removed);
  }

  /** The key with the most versions. */
  String longest() {
    return keys.entrySet().stream()
        .max((a, b) -> Integer.compare(a.getValue().size(), b.getValue().size()))
        .orElseThrow()
        .getKey();
  }

  /** The last {@code count} versions of a key. */
  List<Long> lastOf(String key, int count) {
    List<Long> all = new ArrayList<>(Objects.requireNonNull(keys.get(key)).keySet());
    return all.subList(Math.max(0, all.size() - count), all.size());
  }

  /** Counts of keys. */
  record Changes(int added, int changed, int removed) {
    @Override
    public String toString() {
      return "%,d added, %,d changed, %,d removed".formatted(added, changed, removed);
    }
  }
}
