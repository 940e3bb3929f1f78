package io.ensemble;

import io.ensemble.stamp.WriterId;
import java.time.Duration;

/**
 * SWMR only: another process is the writer of the cache, and is not known to be dead. The write had
 * no effect and never will; a retry is safe. After that process has closed the cache, stopped its
 * manager or resigned, a retry succeeds immediately. If that process dies, a retry succeeds after
 * {@link #retryAfter()} without a heartbeat of the writer.
 *
 * <p>To take over from a writer that may be dead, write again after that time. If the retry fails
 * with this exception, the writer is alive. Reads are not affected.
 */
public final class WriterPresentException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient WriterId writer;
  private final long epoch;
  private final Duration retryAfter;

  /**
   * @param cache the cache's name
   * @param writer the present writer
   * @param epoch the number of its term
   * @param retryAfter how long the writer may be silent before another process replaces it
   */
  public WriterPresentException(String cache, WriterId writer, long epoch, Duration retryAfter) {
    super(
        "another process is the writer of the cache, the operation was not applied",
        cache,
        " writer=%s epoch=%d retryAfter=%s".formatted(writer, epoch, retryAfter));
    this.writer = writer;
    this.epoch = epoch;
    this.retryAfter = retryAfter;
  }

  /** The present writer. */
  public WriterId writer() {
    return writer;
  }

  /** The number of the writer's term. */
  public long epoch() {
    return epoch;
  }

  /**
   * The time after which a retry replaces a writer that has sent no heartbeat since this was
   * thrown: a lease and the clock drift. An earlier retry succeeds only if the writer resigns.
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
