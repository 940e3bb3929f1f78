package io.ensemble.partition;

/**
 * Keeps together the keys of a group, which is what a pattern finds in a string: {@code
 * partitioner} sees the group in the place of the key. A key without one, or that is no string, is
 * a group of its own; and one that is the very group of others belongs to them.
 */
record GroupPartitioner(GroupPattern pattern, Partitioner partitioner) implements Partitioner {

  @Override
  public int part(PartitionedKey key) {
    return partitioner.part(key.text().flatMap(pattern::group).map(PartitionedKey::of).orElse(key));
  }
}
