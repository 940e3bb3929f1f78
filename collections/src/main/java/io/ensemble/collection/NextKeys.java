package io.ensemble.collection;

import io.ensemble.site.Bytes;
import java.util.Map;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys with the lowest hashes of those that a pass has found after a place, as many as fit into
 * a bound. Each key once. Not thread-safe.
 */
final class NextKeys {

  private final KeyHash.Hasher hasher = new KeyHash.Hasher();
  private final NavigableMap<KeyHash, Bytes> keys = new TreeMap<>();
  private final CollectionSlice slice;
  private final @Nullable KeyHash after;
  private final int mostKeys;
  private final long mostBytes;
  private long bytes;
  private @Nullable KeyHash leftOut;

  /**
   * @param after the place after which keys are wanted; null for all
   * @param mostKeys at least 1
   * @param mostBytes of encoded keys; a single longer key is kept all the same
   */
  NextKeys(CollectionSlice slice, @Nullable KeyHash after, int mostKeys, long mostBytes) {
    this.slice = slice;
    this.after = after;
    this.mostKeys = mostKeys;
    this.mostBytes = mostBytes;
  }

  void add(Bytes key) {
    KeyHash hash = hasher.of(key);
    if (!slice.contains(hash)
        || (after != null && hash.compareTo(after) <= 0)
        || (leftOut != null && hash.compareTo(leftOut) >= 0)
        || keys.putIfAbsent(hash, key) != null) {
      return;
    }
    bytes += key.size();
    while (keys.size() > mostKeys || (bytes > mostBytes && keys.size() > 1)) {
      Entry<KeyHash, Bytes> last = keys.pollLastEntry();
      bytes -= last.getValue().size();
      leftOut = last.getKey();
    }
  }

  /** Whether keys were left out, so that another pass must follow. */
  boolean isCut() {
    return leftOut != null;
  }

  int size() {
    return keys.size();
  }

  long bytes() {
    return bytes;
  }

  /** Removes the lowest key; null if there is none. */
  Map.@Nullable Entry<KeyHash, Bytes> poll() {
    Entry<KeyHash, Bytes> first = keys.pollFirstEntry();
    if (first != null) {
      bytes -= first.getValue().size();
    }
    return first;
  }
}
