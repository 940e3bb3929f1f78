package io.ensemble.cache.weak.replica;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the siblings dropped beyond the bound, and logs them once a minute at most. Thread-safe.
 */
public final class DroppedSiblings {

  private static final Logger LOG = LoggerFactory.getLogger(DroppedSiblings.class);
  private static final long SILENCE_NANOS = Duration.ofMinutes(1).toNanos();

  private final String cache;
  private final Scheduler scheduler;
  private final WeakMetrics metrics;

  // Both fields are guarded by this object's lock.
  private @Nullable Long loggedAtNanos;
  private long unloggedCount;

  DroppedSiblings(String cache, Scheduler scheduler, WeakMetrics metrics) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  /** Records that {@code siblings} values were dropped from the entry of a key at {@code site}. */
  public void recordDropped(String site, Bytes key, int siblings) {
    if (siblings <= 0) {
      return;
    }
    metrics.siblingsDropped(site, siblings);
    long loggedCount;
    synchronized (this) {
      unloggedCount += siblings;
      long now = scheduler.nanos();
      if (loggedAtNanos != null && now - loggedAtNanos < SILENCE_NANOS) {
        return;
      }
      loggedAtNanos = now;
      loggedCount = unloggedCount;
      unloggedCount = 0;
    }
    LOG.warn(
        "dropped the oldest siblings over the limit; cache={} values={} last site={} key={}",
        cache,
        loggedCount,
        site,
        key);
  }
}
