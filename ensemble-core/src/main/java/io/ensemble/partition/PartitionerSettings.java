package io.ensemble.partition;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Checks of a partitioner's settings. */
final class PartitionerSettings {

  private PartitionerSettings() {}

  /** The value of a required setting. */
  static String needed(Map<String, String> settings, String name) {
    String value = settings.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "the partitioner needs the setting '%s'; it has %s"
              .formatted(name, new TreeSet<>(settings.keySet())));
    }
    return value;
  }

  /** Fails if there are settings other than {@code known}. */
  static void only(Map<String, String> settings, Set<String> known) {
    Set<String> more = new TreeSet<>(settings.keySet());
    more.removeAll(known);
    if (!more.isEmpty()) {
      throw new IllegalArgumentException(
          "the partitioner has no such settings: %s; it has %s"
              .formatted(more, new TreeSet<>(known)));
    }
  }
}
