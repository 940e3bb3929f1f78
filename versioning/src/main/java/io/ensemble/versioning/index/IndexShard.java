package io.ensemble.versioning.index;

import java.util.List;

/**
 * A part of an index that has an entry of its own, which never changes.
 *
 * @param number of the entry
 * @param first the smallest version in it
 * @param last the largest version in it
 * @param firstSequence the smallest sequence number of its items
 * @param lastSequence the largest sequence number of its items
 * @param packs the packs with the values of its items
 */
public record IndexShard<T>(
    long number,
    T first,
    T last,
    int count,
    long firstSequence,
    long lastSequence,
    List<Long> packs) {

  /** Copies the list. */
  public IndexShard {
    packs = List.copyOf(packs);
  }

  /** Makes a shard of at least one item, in their order; no item has its value beside it. */
  public static <T> IndexShard<T> of(long number, List<IndexEntry<T>> items) {
    return new IndexShard<>(
        number,
        items.get(0).version(),
        items.get(items.size() - 1).version(),
        items.size(),
        items.stream().mapToLong(IndexEntry::sequence).min().orElseThrow(),
        items.stream().mapToLong(IndexEntry::sequence).max().orElseThrow(),
        items.stream()
            .filter(i -> i.place() instanceof ValueLocation.Packed)
            .map(i -> ((ValueLocation.Packed) i.place()).pack())
            .distinct()
            .sorted()
            .toList());
  }
}
