package io.ensemble.versioning.history;

import io.ensemble.versioning.index.StoredVersion;
import java.util.List;

/**
 * What is to be moved out of a key's entry.
 *
 * @param id by which the entries beside this one are known
 * @param plan its number; 0 if there is none
 * @param packs the packs that are to be written
 * @param shard the number of the shard that is to be written; 0 if none is
 * @param items that go into it
 * @param replaced the shard whose items go into it, too; 0 if there is none
 * @param garbage the numbers of entries that nothing refers to any more, or of some of them
 */
public record OffloadTask(
    String id,
    long plan,
    List<Pack> packs,
    long shard,
    List<StoredVersion> items,
    long replaced,
    List<Long> garbage) {

  /** Values that go into one entry. */
  public record Pack(long number, List<byte[]> values) {

    /** Copies the list. */
    public Pack {
      values = List.copyOf(values);
    }
  }

  /** Copies the lists. */
  public OffloadTask {
    packs = List.copyOf(packs);
    items = List.copyOf(items);
    garbage = List.copyOf(garbage);
  }

  /** Whether there is nothing to do. */
  public boolean isNothing() {
    return plan == 0 && garbage.isEmpty();
  }
}
