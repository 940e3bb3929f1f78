package io.ensemble.rest.resource.entry;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The first entries of those that it is told, in the order of their keys, within two bounds. One
 * entry fits, however large. One thread at a time.
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
      return; // Something before it did not fit.
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

  /** The last key, if there are more behind it. */
  Optional<String> last() {
    return more ? Optional.of(kept.lastKey()) : Optional.empty();
  }
}
