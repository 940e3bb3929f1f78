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
    Map<SnapshotSection, Map<String, Map<String, Object>>> copies =
        new EnumMap<>(SnapshotSection.class);
    for (SnapshotSection section : SnapshotSection.values()) {
      copies.put(
          section,
          Collections.unmodifiableMap(new TreeMap<>(sections.getOrDefault(section, Map.of()))));
    }
    sections = Collections.unmodifiableMap(copies);
  }

  /** The things of a section. */
  public Map<String, Map<String, Object>> of(SnapshotSection section) {
    return sections.getOrDefault(section, Map.of());
  }

  /** The changes that lead from this snapshot to {@code next}. */
  List<SnapshotChange> changesTo(FederationSnapshot next) {
    List<SnapshotChange> changes = new ArrayList<>();
    for (SnapshotSection section : SnapshotSection.values()) {
      Map<String, Map<String, Object>> before = of(section);
      Map<String, Map<String, Object>> after = next.of(section);
      before.forEach(
          (name, item) -> {
            if (!after.containsKey(name)) {
              changes.add(new SnapshotChange(section, name, SnapshotChange.Kind.REMOVED, item));
            }
          });
      after.forEach(
          (name, item) -> {
            Map<String, Object> previous = before.get(name);
            if (previous == null) {
              changes.add(new SnapshotChange(section, name, SnapshotChange.Kind.ADDED, item));
            } else if (!previous.equals(item)) {
              changes.add(new SnapshotChange(section, name, SnapshotChange.Kind.CHANGED, item));
            }
          });
    }
    return changes;
  }

  /** The snapshot as a document: an object for each section. */
  public Map<String, Object> document(Set<SnapshotSection> sections) {
    Map<String, Object> document = new LinkedHashMap<>();
    for (SnapshotSection section : SnapshotSection.values()) {
      if (sections.contains(section)) {
        document.put(section.word(), of(section));
      }
    }
    return document;
  }
}
