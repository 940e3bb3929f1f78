package io.ensemble.rest.resource.entry;

import io.ensemble.EnsembleCache;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.ListingParts;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.infinispan.commons.util.CloseableIterator;

/**
 * The JSON document of a listing, part by part. Each entry has a line of its own. A part is bounded
 * by the number of keys that the iteration visits, and by bytes; a single entry may exceed them.
 * Blocks; one thread at a time.
 */
final class EntryParts implements ListingParts {

  private static final int PART_KEYS = 256;
  private static final int PART_BYTES = 64 << 10;

  private final CloseableIterator<?> iterator;
  private final String prefix;
  private final boolean withValues;
  private final int maxEntries;
  private int entries;
  private boolean begun;
  private boolean ended;

  EntryParts(
      EnsembleCache<Object, Object> cache, String prefix, boolean withValues, int maxEntries) {
    this.iterator = withValues ? cache.entrySet().iterator() : cache.keySet().iterator();
    this.prefix = prefix;
    this.withValues = withValues;
    this.maxEntries = maxEntries;
  }

  @Override
  public boolean isEnded() {
    return ended;
  }

  /**
   * The next part. Never empty, so that a client sees a listing that finds nothing for a while go
   * on.
   */
  @Override
  public byte[] next() {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    append(part, begun ? "\n" : "{\"entries\":[\n");
    begun = true;
    for (int keys = 0; keys < PART_KEYS && part.size() < PART_BYTES && !ended; keys++) {
      if (!iterator.hasNext()) {
        end(part, "]}\n");
      } else if (entries == maxEntries) {
        end(part, "],\"more\":true}\n");
      } else {
        append(part, iterator.next());
      }
    }
    return part.toByteArray();
  }

  private void append(ByteArrayOutputStream part, Object element) {
    Object key = element instanceof Map.Entry<?, ?> entry ? entry.getKey() : element;
    if (key instanceof String text && text.startsWith(prefix) && Representation.isUtf8(text)) {
      append(part, entries == 0 ? "" : ",\n");
      Map<String, Object> document =
          withValues && element instanceof Map.Entry<?, ?> entry
              ? RestValueView.of(text, entry.getValue())
              : Map.of("key", text);
      part.writeBytes(StrictJson.bytes(document));
      entries++;
    }
  }

  private void end(ByteArrayOutputStream part, String text) {
    append(part, text);
    ended = true;
  }

  private static void append(ByteArrayOutputStream part, String text) {
    part.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Releases the iteration at the sites. */
  @Override
  public void close() {
    iterator.close();
  }
}
