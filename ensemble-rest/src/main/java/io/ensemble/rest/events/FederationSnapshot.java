package io.ensemble.rest.events;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The observable state at one moment: for each section, its things by their names, each in the form
 * of the responses.
 */
public record FederationSnapshot(Map<SnapshotSection, Map<String, Map<String, Object>>> sections) {

  public FederationSnapshot {
    Map<SnapshotSection, Map<String, Map<String, Object>>> all =
        new EnumMap<>(SnapshotSection.class);
    for (SnapshotSection section : SnapshotSection.values()) {
      all.put(
          section,
          Collections.unmodifiableMap(new TreeMap<>(sections.getOrDefault(section, Map.of()))));
    }
    sections = Collections.unmodifiableMap(all);
  }

  /** The things of a section. */
  public Map<String, Map<String, Object>> of(SnapshotSection section) {
    return sections.getOrDefault(section, Map.of());
  }

  /** The changes that lead from this snapshot to {@code next}. */
  List<SnapshotChange> to(FederationSnapshot next) {
    List<SnapshotChange> all = new ArrayList<>();
    for (SnapshotSection section : SnapshotSection.values()) {
      Map<String, Map<String, Object>> before = of(section);
      Map<String, Map<String, Object>> after = next.of(section);
      before.forEach(
          (name, thing) -> {
            if (!after.containsKey(name)) {
              all.add(new SnapshotChange(section, name, SnapshotChange.Kind.REMOVED, thing));
            }
          });
      after.forEach(
          (name, thing) -> {
            Map<String, Object> was = before.get(name);
            if (was == null) {
              all.add(new SnapshotChange(section, name, SnapshotChange.Kind.ADDED, thing));
            } else if (!was.equals(thing)) {
              all.add(new SnapshotChange(section, name, SnapshotChange.Kind.CHANGED, thing));
            }
          });
    }
    return all;
  }

  /** The snapshot as a document: an object for each section. */
  public Map<String, Object> document(Set<SnapshotSection> wanted) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (SnapshotSection section : SnapshotSection.values()) {
      if (wanted.contains(section)) {
        shown.put(section.word(), of(section));
      }
    }
    return shown;
  }
}
