package io.ensemble.maintenance;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides how long the next rebuild of each cache waits, from the rebuilds that one process has
 * seen end. Pure: it reads no clock. Not thread-safe.
 *
 * <p>The wait doubles with each rebuild that ended, completed or cancelled, up to {@value
 * #MOST_DOUBLINGS} times. It is the configured one again when none has ended for twice the longest
 * wait.
 */
final class RebuildHistory {

  static final int MOST_DOUBLINGS = 6;

  /**
   * The known rebuilds of one cache.
   *
   * @param number how many ended recently, successfully or cancelled
   * @param atNanos when this process noticed the latest end
   */
  private record RecentRebuilds(StoredDefinition record, int number, long atNanos) {

    boolean hasEnded(StoredDefinition current) {
      boolean isDone = record.configuration() < current.configuration();
      boolean isCancelled = isUnderWay(record) && !isUnderWay(current);
      return record.definition().equals(current.definition()) && (isDone || isCancelled);
    }
  }

  private final Duration delay;
  private final Map<String, RecentRebuilds> rebuilds = new HashMap<>();

  /**
   * @param delay how long a node must have been silent before a first rebuild
   */
  RebuildHistory(Duration delay) {
    this.delay = delay;
  }

  /** Records a cache's present record. Notices a rebuild that ended since the last call. */
  void record(StoredDefinition record, long nowNanos) {
    String cache = record.definition().name();
    RecentRebuilds previous = rebuilds.get(cache);
    if (previous == null || !previous.record.isSameBirth(record)) {
      rebuilds.put(cache, new RecentRebuilds(record, 0, nowNanos));
      return;
    }
    boolean isLongAgo = nowNanos - previous.atNanos > 2 * (delay.toNanos() << MOST_DOUBLINGS);
    int number = isLongAgo ? 0 : previous.number;
    rebuilds.put(
        cache,
        previous.hasEnded(record)
            ? new RecentRebuilds(record, number + 1, nowNanos)
            : new RecentRebuilds(record, number, previous.atNanos));
  }

  /** Records that a rebuild by this process ended without success. */
  void recordFailure(String cache, long nowNanos) {
    rebuilds.computeIfPresent(
        cache, (any, known) -> new RecentRebuilds(known.record, known.number + 1, nowNanos));
  }

  /**
   * Whether the next rebuild may begin.
   *
   * @param silentSinceNanos since when a node of the cache has been silent
   */
  boolean isDue(String cache, long silentSinceNanos, long nowNanos) {
    RecentRebuilds known = rebuilds.get(cache);
    int number = known == null ? 0 : known.number;
    long sinceNanos =
        known == null || number == 0 ? silentSinceNanos : Math.max(silentSinceNanos, known.atNanos);
    return nowNanos - sinceNanos >= delay.toNanos() << Math.min(number, MOST_DOUBLINGS);
  }

  /** Forgets all other caches. */
  void retain(Set<String> caches) {
    rebuilds.keySet().retainAll(caches);
  }

  /** The change to the cache's present definition; empty if there is no change, or another one. */
  static Optional<ConfigurationChange> findRebuild(StoredDefinition record) {
    return record.change().filter(change -> change.to().equals(record.definition()));
  }

  private static boolean isUnderWay(StoredDefinition record) {
    return findRebuild(record).filter(change -> !change.isEnding()).isPresent();
  }
}
