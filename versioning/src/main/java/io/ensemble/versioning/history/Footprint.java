package io.ensemble.versioning.history;

/** The approximate memory size of histories. */
public final class Footprint {

  /** The size of an item or a shard without its versions and values, in bytes. */
  private static final int PLAIN_BYTES = 120;

  /** The size of a number in a list, in bytes. */
  private static final int NUMBER_BYTES = 24;

  /** The ratio of the size of a version in memory to its encoded size. */
  private static final int TIMES_WRITTEN = 4;

  private Footprint() {}

  /**
   * The size of one history; 0 if it is in another process. Assumes that every version is as long
   * as the join of all.
   */
  public static int bytes(HistoryCalls calls) {
    return calls instanceof VersionHistory<?> history
        ? (int) Math.min(of(history), Integer.MAX_VALUE)
        : 0;
  }

  private static <T> long of(VersionHistory<T> history) {
    long version = (long) TIMES_WRITTEN * history.space.write(history.top).length;
    long versions = 1L + history.items.size() + 2L * history.shards.size();
    long numbers =
        history.garbage.size() + history.shards.stream().mapToLong(s -> s.packs().size()).sum();
    return history.inlineBytes + versions * (PLAIN_BYTES + version) + numbers * NUMBER_BYTES;
  }
}
