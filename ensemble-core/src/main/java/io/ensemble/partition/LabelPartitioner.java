package io.ensemble.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Partitions by labels: parts have labels, and a pattern finds a label in the key. The key belongs
 * to a part of that label, and among several to the one with the highest bid. Keys with no label,
 * or with one that no part has, belong to the parts of the label {@code otherwise}.
 */
final class LabelPartitioner implements Partitioner {

  static final String PATTERN = "pattern";
  static final String OTHERWISE = "otherwise";
  static final String LABEL = "label.";

  /** The parts of a label, by their indexes and the hashes of their names. */
  private record LabelParts(List<Integer> parts, List<Long> names) {

    int of(PartitionedKey key) {
      return parts.get(parts.size() == 1 ? 0 : StableHash.highest(key.hash(), names));
    }
  }

  private final GroupPattern pattern;
  private final Map<String, LabelParts> labels = new HashMap<>();
  private final LabelParts others;

  LabelPartitioner(Map<String, String> settings, List<String> parts) {
    pattern = GroupPattern.compile(PartitionerSettings.needed(settings, PATTERN));
    for (int i = 0; i < parts.size(); i++) {
      LabelParts labelled =
          labels.computeIfAbsent(
              PartitionerSettings.needed(settings, LABEL + parts.get(i)),
              label -> new LabelParts(new ArrayList<>(), new ArrayList<>()));
      labelled.parts().add(i);
      labelled.names().add(StableHash.of(parts.get(i)));
    }
    String otherwise = PartitionerSettings.needed(settings, OTHERWISE);
    LabelParts found = labels.get(otherwise);
    if (found == null) {
      throw new IllegalArgumentException(
          "setting '%s' must be the label of a part; expected one of %s, got '%s'"
              .formatted(OTHERWISE, new TreeSet<>(labels.keySet()), otherwise));
    }
    others = found;
  }

  @Override
  public int part(PartitionedKey key) {
    return key.text().flatMap(pattern::group).map(labels::get).orElse(others).of(key);
  }
}
