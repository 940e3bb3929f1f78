package io.ensemble.rest.resource.entry;

import io.ensemble.EnsembleCache;
import io.ensemble.rest.resource.context.JsonListing;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON document of a listing of entries, with or without their values. */
final class EntryParts extends JsonListing<Object> {

  private static final int PART_KEYS = 256;

  private final String prefix;
  private final boolean withValues;

  EntryParts(
      EnsembleCache<Object, Object> cache, String prefix, boolean withValues, int maxEntries) {
    super(
        "entries",
        withValues ? cache.entrySet().iterator() : cache.keySet().iterator(),
        maxEntries,
        PART_KEYS);
    this.prefix = prefix;
    this.withValues = withValues;
  }

  @Override
  protected @Nullable Map<String, Object> describe(Object visited) {
    Object key = visited instanceof Map.Entry<?, ?> entry ? entry.getKey() : visited;
    if (!(key instanceof String text) || !text.startsWith(prefix) || !Representation.isUtf8(text)) {
      return null;
    }
    return withValues && visited instanceof Map.Entry<?, ?> entry
        ? RestValueView.of(text, entry.getValue())
        : Map.of("key", text);
  }
}
