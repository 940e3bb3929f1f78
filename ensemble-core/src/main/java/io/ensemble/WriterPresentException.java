package io.ensemble;

import io.ensemble.stamp.WriterId;
import java.time.Duration;

/**
 * SWMR only: another process is the writer of the cache, and not known to be dead. The write had no
 * effect and never will; a retry is safe. It succeeds at once when that process has closed the
 * cache, stopped its manager or resigned; when it dies, its place is free after {@link
 * #retryAfter()} without a sign of life. So who wants to take over from a writer that may be dead
 * writes again after that time; who meets this exception then has met a writer that lives. Reads
 * are not concerned.
 */
public final class WriterPresentException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient WriterId writer;
  private final long epoch;
  private final Duration retryAfter;

  /**
   * @param cache the cache's name
   * @param writer who writes
   * @param epoch in which term
   * @param retryAfter how long it may be silent before another takes its place
   */
  public WriterPresentException(String cache, WriterId writer, long epoch, Duration retryAfter) {
    super(
        "another process is the cache's writer, nothing was done",
        cache,
        " writer=%s epoch=%d retryAfter=%s".formatted(writer, epoch, retryAfter));
    this.writer = writer;
    this.epoch = epoch;
    this.retryAfter = retryAfter;
  }

  /** Who writes. */
  public WriterId writer() {
    return writer;
  }

  /** The number of the term in which it does. */
  public long epoch() {
    return epoch;
  }

  /**
   * The time after which a retry takes the place of a writer that has given no sign of life since
   * this was thrown: a lease and the drift. An earlier retry succeeds only if the writer gives its
   * place up.
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
