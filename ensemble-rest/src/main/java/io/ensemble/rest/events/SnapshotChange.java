package io.ensemble.rest.events;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The change of one thing.
 *
 * @param name the name of the thing in its section
 * @param thing the present thing; for a removed one, its last state
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
