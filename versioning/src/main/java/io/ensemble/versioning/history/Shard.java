package io.ensemble.versioning.history;

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
public record Shard<T>(
    long number,
    T first,
    T last,
    int count,
    long firstSequence,
    long lastSequence,
    List<Long> packs) {

  /** Copies the list. */
  public Shard {
    packs = List.copyOf(packs);
  }

  /** Of items in their order, of which there is one at least, none with its value beside it. */
  public static <T> Shard<T> of(long number, List<Item<T>> items) {
    return new Shard<>(
        number,
        items.get(0).version(),
        items.get(items.size() - 1).version(),
        items.size(),
        items.stream().mapToLong(Item::sequence).min().orElseThrow(),
        items.stream().mapToLong(Item::sequence).max().orElseThrow(),
        items.stream()
            .filter(i -> i.place() instanceof Place.Packed)
            .map(i -> ((Place.Packed) i.place()).pack())
            .distinct()
            .sorted()
            .toList());
  }
}
