package io.ensemble.rest.events;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The change of one thing.
 *
 * @param name the name of the thing in its section
 * @param item the present thing; for a removed one, its last state
 */
record SnapshotChange(SnapshotSection section, String name, Kind kind, Map<String, Object> item) {

  enum Kind {
    ADDED,
    CHANGED,
    REMOVED
  }

  Map<String, Object> toDocument() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", name);
    document.put("change", kind.name().toLowerCase(Locale.ROOT));
    document.put(kind == Kind.REMOVED ? "was" : "now", item);
    return document;
  }
}
