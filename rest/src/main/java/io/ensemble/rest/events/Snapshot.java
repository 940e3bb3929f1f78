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
 * All that can be seen at one moment: of each section things by their names, each as answers show
 * it.
 */
public record Snapshot(Map<Section, Map<String, Map<String, Object>>> sections) {

  public Snapshot {
    Map<Section, Map<String, Map<String, Object>>> all = new EnumMap<>(Section.class);
    for (Section section : Section.values()) {
      all.put(
          section,
          Collections.unmodifiableMap(new TreeMap<>(sections.getOrDefault(section, Map.of()))));
    }
    sections = Collections.unmodifiableMap(all);
  }

  /** The things of a section. */
  public Map<String, Map<String, Object>> of(Section section) {
    return sections.getOrDefault(section, Map.of());
  }

  /** What has to be told to whoever has this, so that they have {@code next}. */
  List<Difference> to(Snapshot next) {
    List<Difference> all = new ArrayList<>();
    for (Section section : Section.values()) {
      Map<String, Map<String, Object>> before = of(section);
      Map<String, Map<String, Object>> after = next.of(section);
      before.forEach(
          (name, thing) -> {
            if (!after.containsKey(name)) {
              all.add(new Difference(section, name, Difference.Kind.REMOVED, thing));
            }
          });
      after.forEach(
          (name, thing) -> {
            Map<String, Object> was = before.get(name);
            if (was == null) {
              all.add(new Difference(section, name, Difference.Kind.ADDED, thing));
            } else if (!was.equals(thing)) {
              all.add(new Difference(section, name, Difference.Kind.CHANGED, thing));
            }
          });
    }
    return all;
  }

  /** As a document: an object for each section. */
  public Map<String, Object> document(Set<Section> wanted) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (Section section : Section.values()) {
      if (wanted.contains(section)) {
        shown.put(section.word(), of(section));
      }
    }
    return shown;
  }
}
