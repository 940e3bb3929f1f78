package io.ensemble.cache.swmr;

import io.ensemble.stamp.WriterId;
import java.time.Duration;

/**
 * Another process is the writer of the cache, and alive. Nothing was done. A retry succeeds once it
 * has closed the cache, or has been silent for longer than its lease.
 */
public final class WriterPresentException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final transient WriterId writer;
  private final Duration lease;

  /**
   * @param writer who writes
   * @param epoch in which term
   * @param lease how long it may be silent
   */
  public WriterPresentException(String cache, WriterId writer, long epoch, Duration lease) {
    super(
        "another process is the cache's writer; cache=%s writer=%s epoch=%d lease=%s"
            .formatted(cache, writer, epoch, lease));
    this.writer = writer;
    this.lease = lease;
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
