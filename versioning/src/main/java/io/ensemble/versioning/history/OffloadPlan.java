package io.ensemble.versioning.history;

import java.util.List;

/**
 * A part to be moved out of a key's entry. The plan remains in the entry until any process has
 * carried it out. The content to write follows from the plan and the state, so all processes write
 * the same.
 */
public sealed interface OffloadPlan<T> {

  /** The id of the plan; also the number of the first entry that it writes. */
  long number();

  /** The count of entry numbers that the plan uses. */
  int numbers();

  /**
   * Values for one pack.
   *
   * @param versions of the values, in the order of the pack
   */
  record Parcel<T>(long pack, List<T> versions) {}

  /** Moves values from beside their versions to packs. */
  record Packing<T>(List<Parcel<T>> parcels) implements OffloadPlan<T> {
    @Override
    public long number() {
      return parcels.get(0).pack();
    }

    @Override
    public int numbers() {
      return parcels.size();
    }
  }

  /**
   * Moves the items from {@code first} to {@code last} to a new shard, which follows the last one
   * or takes its place.
   *
   * @param replaced the last shard, whose items the new one has, too; 0 if it follows that shard
   */
  record Splitting<T>(long number, long replaced, T first, T last) implements OffloadPlan<T> {
    @Override
    public int numbers() {
      return 1;
    }
  }

  /**
   * Moves items that were added late to the shard of their range. The shard is rewritten, as two
   * shards if it has become too large.
   *
   * @param versions of those items: none is a head, since heads are read from the entry
   */
  record Merging<T>(long number, long replaced, List<T> versions) implements OffloadPlan<T> {
    @Override
    public int numbers() {
      return 2;
    }
  }
}
