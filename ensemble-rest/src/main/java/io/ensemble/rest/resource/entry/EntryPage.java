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

  private final int mostEntries;
  private final long mostBytes;
  private final SortedMap<String, Sized> kept = new TreeMap<>();
  private long bytes;
  private boolean more;

  private record Sized(Object value, long bytes) {}

  EntryPage(int mostEntries, long mostBytes) {
    this.mostEntries = mostEntries;
    this.mostBytes = mostBytes;
  }

  void add(String key, Object value, long size) {
    if (more && key.compareTo(kept.lastKey()) > 0) {
      return; // An entry before this one did not fit.
    }
    Sized before = kept.put(key, new Sized(value, size));
    bytes += size - (before == null ? 0 : before.bytes());
    while (kept.size() > mostEntries || (bytes > mostBytes && kept.size() > 1)) {
      Sized last = kept.remove(kept.lastKey());
      bytes -= last == null ? 0 : last.bytes();
      more = true;
    }
  }

  Map<String, Object> entries() {
    Map<String, Object> all = new java.util.LinkedHashMap<>();
    kept.forEach((key, sized) -> all.put(key, sized.value()));
    return all;
  }

  /** The last key, if more entries follow. */
  Optional<String> last() {
    return more ? Optional.of(kept.lastKey()) : Optional.empty();
  }
}
