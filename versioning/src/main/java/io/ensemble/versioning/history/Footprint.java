package io.ensemble.versioning.history;

/** About how much memory histories take. */
public final class Footprint {

  /** What an item or a shard takes, without its versions and values. */
  private static final int PLAIN_BYTES = 120;

  /** What a number in a list takes. */
  private static final int NUMBER_BYTES = 24;

  /** How much longer a version is in memory than written. */
  private static final int TIMES_WRITTEN = 4;

  private Footprint() {}

  /** Of one; nothing if it is elsewhere. Takes its versions for as long as what joins them. */
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
