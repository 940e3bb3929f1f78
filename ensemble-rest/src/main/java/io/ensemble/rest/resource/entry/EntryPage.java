package io.ensemble.rest.resource.entry;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Collects the first entries in the order of their keys, within two bounds. A single entry of any
 * size fits. One thread at a time.
 */
final class EntryPage {

  private final int maxEntries;
  private final long maxBytes;
  private final SortedMap<String, Sized> sortedEntries = new TreeMap<>();
  private long bytes;
  private boolean hasMore;

  private record Sized(Object value, long bytes) {}

  EntryPage(int maxEntries, long maxBytes) {
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
  }

  void add(String key, Object value, long size) {
    if (hasMore && key.compareTo(sortedEntries.lastKey()) > 0) {
      return; // An entry before this one did not fit.
    }
    Sized previous = sortedEntries.put(key, new Sized(value, size));
    bytes += size - (previous == null ? 0 : previous.bytes());
    while (sortedEntries.size() > maxEntries || (bytes > maxBytes && sortedEntries.size() > 1)) {
      Sized removed = sortedEntries.remove(sortedEntries.lastKey());
      bytes -= removed == null ? 0 : removed.bytes();
      hasMore = true;
    }
  }

  Map<String, Object> entries() {
    Map<String, Object> values = new java.util.LinkedHashMap<>();
    sortedEntries.forEach((key, sized) -> values.put(key, sized.value()));
    return values;
  }

  /** The last key, if more entries follow. */
  Optional<String> last() {
    return hasMore ? Optional.of(sortedEntries.lastKey()) : Optional.empty();
  }
}
