package io.ensemble.partition;

/**
 * Keeps the keys of a group together. The group is the text that a pattern finds in a string, and
 * {@code partitioner} receives the group instead of the key. A key without a group, or one that is
 * no string, is a group of its own. A key that equals the group of other keys belongs to that
 * group.
 */
record GroupPartitioner(GroupPattern pattern, Partitioner partitioner) implements Partitioner {

  @Override
  public int part(PartitionedKey key) {
    return partitioner.part(key.text().flatMap(pattern::group).map(PartitionedKey::of).orElse(key));
  }
}
