package io.ensemble.versioning.history;

import io.ensemble.versioning.index.StoredVersion;
import java.util.List;

/**
 * The parts to be moved out of a key's entry.
 *
 * @param id identifies the entries beside the entry of the key
 * @param plan its number; 0 if there is none
 * @param packs the packs to be written
 * @param shard the number of the shard to be written; 0 if there is none
 * @param items of that shard
 * @param replaced the shard whose items are also part of it; 0 if there is none
 * @param garbage the numbers of entries that are no longer referenced, or of some of them
 */
public record OffloadTask(
    String id,
    long plan,
    List<Pack> packs,
    long shard,
    List<StoredVersion> items,
    long replaced,
    List<Long> garbage) {

  /** Values of one entry. */
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

  /** Whether there is no task. */
  public boolean isNothing() {
    return plan == 0 && garbage.isEmpty();
  }
}
