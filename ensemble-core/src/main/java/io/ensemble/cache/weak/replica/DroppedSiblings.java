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
  private @Nullable Long toldAtNanos;
  private long untold;

  DroppedSiblings(String cache, Scheduler scheduler, WeakMetrics metrics) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  /** Records that {@code siblings} values were dropped from the entry of a key at {@code site}. */
  public void at(String site, Bytes key, int siblings) {
    if (siblings <= 0) {
      return;
    }
    metrics.siblingsDropped(site, siblings);
    long tell;
    synchronized (this) {
      untold += siblings;
      long now = scheduler.nanos();
      if (toldAtNanos != null && now - toldAtNanos < SILENCE_NANOS) {
        return;
      }
      toldAtNanos = now;
      tell = untold;
      untold = 0;
    }
    LOG.warn(
        "dropped the oldest siblings over the limit; cache={} values={} last site={} key={}",
        cache,
        tell,
        site,
        key);
  }
}
