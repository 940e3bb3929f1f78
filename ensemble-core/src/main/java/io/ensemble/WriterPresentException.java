package io.ensemble;

import io.ensemble.stamp.WriterId;
import java.time.Duration;

/**
 * SWMR only: another process is the writer of the cache, and alive. Nothing was done, and a retry
 * is safe; it succeeds once that process has closed the cache or stopped its manager, or has given
 * no sign of life for longer than its lease. Reads are not concerned.
 */
public final class WriterPresentException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final transient WriterId writer;
  private final Duration lease;

  /**
   * @param cache the cache's name
   * @param writer who writes
   * @param epoch in which term
   * @param lease how long it may be silent
   */
  public WriterPresentException(String cache, WriterId writer, long epoch, Duration lease) {
    super(
        "another process is the cache's writer, nothing was done; cache=%s writer=%s epoch=%d lease=%s"
            .formatted(cache, writer, epoch, lease));
    this.cache = cache;
    this.writer = writer;
    this.lease = lease;
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }

  /** Who writes. */
  public WriterId writer() {
    return writer;
  }

  /** How long it may be silent before another takes its place. */
  public Duration lease() {
    return lease;
  }
}
