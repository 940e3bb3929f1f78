package io.ensemble.rest.jetty;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Reads and discards the rest of a body that is not needed, before the response is sent; the amount
 * and the time are bounded. If a connection is closed while its client sends, the connection may be
 * reset, and the client never receives the reason for the rejection.
 */
final class UnreadBodyDrain implements Runnable {

  private static final long MOST_BYTES = 4 << 20;

  private final Request request;
  private final Runnable onEnd;

  // Both fields, and reading, are guarded by this object's lock: the response needs the request
  // exclusively.
  private boolean ended;
  private long remainingBytes = MOST_BYTES;

  private UnreadBodyDrain(Request request, Runnable onEnd) {
    this.request = request;
    this.onEnd = onEnd;
  }

  /**
   * Runs {@code onEnd} once, after the whole body has arrived or the wait has ended.
   *
   * @param timeout how long to wait
   */
  static void drain(Request request, Duration timeout, Runnable onEnd) {
    boolean expectsContinue = request.getHeaders().contains(HttpHeader.EXPECT);
    if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2
        || expectsContinue
        || request.getLength() > MOST_BYTES) {
      onEnd.run();
      return;
    }
    UnreadBodyDrain drain = new UnreadBodyDrain(request, onEnd);
    Scheduler.Task timeoutTask =
        request
            .getComponents()
            .getScheduler()
            .schedule(drain::end, timeout.toMillis(), TimeUnit.MILLISECONDS);
    Request.addCompletionListener(request, failure -> timeoutTask.cancel());
    drain.run();
  }

  @Override
  public synchronized void run() {
    while (!ended) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        end();
        return;
      }
      remainingBytes -= chunk.remaining();
      boolean isLast = chunk.isLast() || remainingBytes < 0;
      chunk.release();
      if (isLast) {
        end();
      }
    }
  }

  private synchronized void end() {
    if (!ended) {
      ended = true;
      onEnd.run();
    }
  }
}
