package io.ensemble.versioning.history;

import java.util.List;

/**
 * What is to be moved out of a key's entry. It stands there until it has been carried out, by
 * whoever comes first: what is to be written where follows from the plan and the state, so that all
 * write the same.
 */
public sealed interface OffloadPlan<T> {

  /** By which it is known; also the number of the first entry that it writes. */
  long number();

  /** How many numbers of entries it has. */
  int numbers();

  /**
   * Values that go into one pack.
   *
   * @param versions whose, in the order of the pack
   */
  record Parcel<T>(long pack, List<T> versions) {}

  /** Values that stand beside their versions go into packs. */
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

  /** The items from {@code first} to {@code last} become a shard. */
  record Splitting<T>(long number, T first, T last) implements OffloadPlan<T> {
    @Override
    public int numbers() {
      return 1;
    }
  }

  /**
   * Items that came late go into the shard where they belong, which is written anew, as two if it
   * has become too large.
   *
   * @param versions of those items: none that no other is above, for these are looked for here
   */
  record Merging<T>(long number, long replaced, List<T> versions) implements OffloadPlan<T> {
    @Override
    public int numbers() {
      return 2;
    }
  }
}
