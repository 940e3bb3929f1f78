package io.ensemble.versioning.history;

import io.ensemble.versioning.IndexType;

/**
 * Limits on the content of a key's entry.
 *
 * @param shardSize the maximum number of versions of a shard
 * @param longestTail with more versions than this after the shards, the first four fifths of them
 *     are moved to a shard, as far as their values are in packs
 * @param windowBytes the maximum bytes of values in the entry, beside the last one; a few values
 *     may have half the bytes of a pack, if that is more
 * @param windowCount the maximum number of values in the entry
 * @param packBytes a pack is closed at this number of bytes
 * @param packCount a pack is closed at this number of values
 */
public record HistoryLimits(
    IndexType index,
    int shardSize,
    int longestTail,
    int windowBytes,
    int windowCount,
    int packBytes,
    int packCount) {

  /**
   * The shard size of {@link IndexType#TREE}: of up to 1.25 times as many versions, the whole index
   * is in the key's entry.
   */
  private static final int TREE_SHARD_SIZE = 8_000;

  /**
   * An addition writes these versions, 3 to 5 bytes each. The first read of an older version needs
   * a shard, which takes a round trip.
   */
  private static final int LONGEST_TAIL = 512;

  /**
   * The maximum bytes of versions and values of {@link IndexType#BASELINE}, below the limit of the
   * state of an atomic object, 1 MiB.
   */
  private static final long BASELINE_BYTES = 960 << 10;

  /** The bytes of a version in the index beside its own, at most. */
  private static final int ITEM_BYTES = 20;

  private static final int FULL = 4;

  /** Throws {@link IllegalArgumentException} for shards of less than two versions. */
  public HistoryLimits {
    if (shardSize < 2) {
      throw new IllegalArgumentException("shard size must be 2 versions or more; got " + shardSize);
    }
    if (longestTail < 1) {
      throw new IllegalArgumentException("the tail must be 1 or longer; got " + longestTail);
    }
    if (windowBytes < 0 || windowCount < 0 || packBytes < 1 || packCount < 1) {
      throw new IllegalArgumentException(
          "sizes must not be negative, and a pack must not be empty");
    }
  }

  /** Limits that suit most caches. */
  public static HistoryLimits of(IndexType index, int shardSize) {
    boolean tree = index == IndexType.TREE;
    int size = tree ? TREE_SHARD_SIZE : shardSize;
    long tail = (long) size + Math.max(1, size / 4);
    return new HistoryLimits(
        index, size, (int) (tree ? tail : Math.min(tail, LONGEST_TAIL)), 2 << 10, 64, 16 << 10, 64);
  }

  /** The maximum bytes of a few values in the entry, and of the last value. */
  int largestWindow() {
    return Math.max(windowBytes, packBytes / 2);
  }

  /**
   * Whether a key whose parts are not moved out has no room for a version; estimated as if every
   * version were as long as this one.
   */
  boolean hasNoRoom(VersionHistory<?> history, int versionBytes, int valueBytes) {
    long items = history.items.size() + 1L;
    return !packs()
        && history.inlineBytes + valueBytes + items * (versionBytes + ITEM_BYTES) > BASELINE_BYTES;
  }

  /** Whether so many values wait to be moved out that a further addition should wait. */
  boolean isFull(VersionHistory<?> history) {
    return packs()
        && (history.inlineBytes > (long) FULL * Math.max(windowBytes, packBytes)
            || history.inlineCount > FULL * Math.max(windowCount, packCount));
  }

  boolean packs() {
    return index != IndexType.BASELINE;
  }

  /** The number of late versions in the entry before they are merged. */
  int late() {
    return Math.max(1, shardSize / 8);
  }
}
