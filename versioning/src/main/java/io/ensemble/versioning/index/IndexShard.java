package io.ensemble.versioning.index;

import java.util.List;

/**
 * A part of an index that has an entry of its own, which never changes.
 *
 * @param number of the entry
 * @param first the smallest version that is in it
 * @param last the largest one
 * @param firstSequence the first one of its items that was added
 * @param lastSequence the last one
 * @param packs that its items' values are in
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

  /** Of items in their order, of which there is one at least, none with its value beside it. */
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
