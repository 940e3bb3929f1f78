package io.ensemble.partition;

/**
 * Finds the part that a key belongs to. A function of the key, of the settings and of the parts'
 * names alone: the same in every process, and for ever. Thread-safe.
 */
@FunctionalInterface
public interface Partitioner {

  /**
   * The index of the part of {@code key}, among those that the partitioner was made for.
   *
   * @throws MatchTooCostlyException if a pattern takes too many steps on it
   */
  int part(PartitionedKey key);
}
