package io.ensemble.rest.resource.context;

import io.ensemble.rest.http.StreamingBody;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a listing to its client. A worker is occupied only while it reads a part; while the client
 * reads, the listing occupies none. A client that does not read a part in time is disconnected.
 */
final class StreamedListing implements StreamingBody {

  private static final Logger LOG = LoggerFactory.getLogger(StreamedListing.class);

  /** The kind of the tasks that read the parts after the first one. */
  private static final String KIND = "continueListing";

  /** The kind of the tasks that end listings. There are fewer listings than places of a kind. */
  private static final String END_KIND = "endListing";

  private final ListingParts parts;
  private final byte[] firstPart;
  private final String caller;
  private final BlockingTaskPool workers;
  private final Duration timeout;
  private final Runnable onEnd;
  private final AtomicBoolean closed = new AtomicBoolean();

  private StreamedListing(
      ListingParts parts,
      byte[] firstPart,
      String caller,
      BlockingTaskPool workers,
      Duration timeout,
      Runnable onEnd) {
    this.parts = parts;
    this.firstPart = firstPart;
    this.caller = caller;
    this.workers = workers;
    this.timeout = timeout;
    this.onEnd = onEnd;
  }

  /**
   * Reads the first part, so that a failure until then becomes a problem. Blocks.
   *
   * @param caller its workers are those of this caller
   * @param timeout how long the client may take for a part
   * @param onEnd is run once when the listing is over, but not if this method fails
   */
  static StreamedListing begin(
      ListingParts parts,
      String caller,
      BlockingTaskPool workers,
      Duration timeout,
      Runnable onEnd) {
    try {
      return new StreamedListing(parts, parts.next(), caller, workers, timeout, onEnd);
    } catch (RuntimeException | Error e) {
      parts.close();
      throw e;
    }
  }

  @Override
  public void begin(Way connection) {
    send(connection, firstPart, parts.isEnded());
  }

  @Override
  public void abandon() {
    close();
  }

  private void send(Way connection, byte[] part, boolean isLast) {
    connection
        .send(part)
        .toCompletableFuture()
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (sent, failure) -> {
              if (failure != null) {
                endOnWorker(connection);
              } else if (isLast) {
                connection.end();
                close();
              } else {
                readNext(connection);
              }
            });
  }

  /** Hops, because a timeout is reported by the JDK's timer thread. */
  private void endOnWorker(Way connection) {
    Runnable task =
        () -> {
          connection.cut();
          close();
        };
    try {
      workers.run(END_KIND, task);
    } catch (RejectedExecutionException closed) { // The service is closing.
      task.run();
    }
  }

  private void readNext(Way connection) {
    CompletionStage<byte[]> next;
    try {
      next = workers.waitFor(KIND, caller, parts::next);
    } catch (RuntimeException busy) {
      next = CompletableFuture.failedFuture(busy);
    }
    next.whenComplete(
        (part, failure) -> {
          if (failure == null) {
            send(connection, part, parts.isEnded());
          } else {
            LOG.info("a listing ended before its end: {}", failure.toString());
            connection.cut();
            close();
          }
        });
  }

  private void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        parts.close();
      } finally {
        onEnd.run();
      }
    }
  }
}
