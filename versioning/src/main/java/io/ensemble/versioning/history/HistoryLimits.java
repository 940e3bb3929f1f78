package io.ensemble.versioning.history;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.Retention;

/**
 * How much stands in a key's entry.
 *
 * @param kappa how many versions a shard has
 * @param windowBytes so many bytes of values may stand there, beside the last one
 * @param windowCount and so many values
 * @param packBytes a pack is closed when it has so many bytes
 * @param packCount or so many values
 * @param retention which versions stay
 */
public record HistoryLimits(
    IndexType index,
    int kappa,
    int windowBytes,
    int windowCount,
    int packBytes,
    int packCount,
    Retention retention) {

  private static final int FULL = 4;

  /** Throws {@link IllegalArgumentException} for a shard of less than two versions. */
  public HistoryLimits {
    if (kappa < 2) {
      throw new IllegalArgumentException("a shard has 2 versions or more; kappa=" + kappa);
    }
    if (windowBytes < 0 || windowCount < 0 || packBytes < 1 || packCount < 1) {
      throw new IllegalArgumentException("no size below zero is wanted, nor an empty pack");
    }
  }

  /** What suits most. */
  public static HistoryLimits of(IndexType index, int kappa, Retention retention) {
    return new HistoryLimits(index, kappa, 8 << 10, 64, 16 << 10, 64, retention);
  }

  /** Whether so much waits to be moved out that whoever adds more should wait for that. */
  boolean isFull(VersionHistory<?> history) {
    return packs()
        && (history.inlineBytes > (long) FULL * Math.max(windowBytes, packBytes)
            || history.inlineCount > FULL * Math.max(windowCount, packCount));
  }

  boolean packs() {
    return index != IndexType.BASELINE;
  }

  boolean splits() {
    return index == IndexType.SHARDED || index == IndexType.AUTO;
  }

  /** With more versions than that after the shards, one is split off. */
  long longestTail() {
    return (long) kappa + kept();
  }

  /** So many versions stay in the key's entry when a shard is split off. */
  int kept() {
    return Math.max(1, kappa / 4);
  }

  /** So many late ones may stand there before they are merged. */
  int late() {
    return Math.max(1, kappa / 8);
  }
}
