package io.ensemble.collection;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A share of the entries of a cache, for one of several readers that divide the entries among them:
 * a range of hashes, of all keys or of those of one part of a distributed cache.
 *
 * @param part the index of the part, from 0; -1 for all keys
 * @param generation the number of the assignment of keys to parts; 0 for all keys
 * @param range the index of the range, from 0
 * @param ranges how many ranges there are, 1 to {@value #MOST_RANGES}
 */
public record CollectionSlice(int part, long generation, int range, int ranges) {

  /** The most ranges. */
  public static final int MOST_RANGES = 10_000;

  /** All entries. */
  public static final CollectionSlice ALL = new CollectionSlice(-1, 0, 0, 1);

  /**
   * @throws IllegalArgumentException if there is no such slice
   */
  public CollectionSlice {
    if (part < -1 || ranges < 1 || ranges > MOST_RANGES || range < 0 || range >= ranges) {
      throw new IllegalArgumentException(
          "a slice must be of a part from 0, or -1 for all keys, and have one of 1 to %d ranges; "
                  .formatted(MOST_RANGES)
              + "got part %d, range %d of %d".formatted(part, range, ranges));
    }
  }

  /** The slices that divide all entries by ranges of hashes. */
  static List<CollectionSlice> ofAll(int ranges) {
    return IntStream.range(0, ranges)
        .mapToObj(range -> new CollectionSlice(-1, 0, range, ranges))
        .toList();
  }

  boolean contains(KeyHash hash) {
    return hash.range(ranges) == range;
  }
}
