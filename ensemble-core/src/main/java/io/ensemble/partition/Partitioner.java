package io.ensemble.partition;

/**
 * Finds the part to which a key belongs. A partitioner is a function of the key, of the settings
 * and of the parts' names alone: its result is the same in every process and never changes.
 * Thread-safe.
 */
@FunctionalInterface
public interface Partitioner {

  /**
   * The index of the part of {@code key}, among the parts of the partitioner.
   *
   * @throws MatchTooCostlyException if a pattern takes too many steps on {@code key}
   */
  int part(PartitionedKey key);
}
