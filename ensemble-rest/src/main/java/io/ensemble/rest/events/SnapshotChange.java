package io.ensemble.rest.events;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What became of a thing.
 *
 * @param name of the thing, in its section
 * @param thing as it is; of one that was removed, as it was
 */
record SnapshotChange(SnapshotSection section, String name, Kind kind, Map<String, Object> thing) {

  enum Kind {
    ADDED,
    CHANGED,
    REMOVED
  }

  Map<String, Object> document() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", name);
    shown.put("change", kind.name().toLowerCase(Locale.ROOT));
    shown.put(kind == Kind.REMOVED ? "was" : "now", thing);
    return shown;
  }
}
