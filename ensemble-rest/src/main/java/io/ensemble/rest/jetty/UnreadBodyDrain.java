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
  private final Runnable then;

  // Both fields, and reading, are guarded by this object's lock: the response needs the request
  // exclusively.
  private boolean over;
  private long left = MOST_BYTES;

  private UnreadBodyDrain(Request request, Runnable then) {
    this.request = request;
    this.then = then;
  }

  /**
   * Runs {@code then} once, after the whole body has arrived or the wait has ended.
   *
   * @param longest how long to wait
   */
  static void taken(Request request, Duration longest, Runnable then) {
    boolean waitsForLeave = request.getHeaders().contains(HttpHeader.EXPECT);
    if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2
        || waitsForLeave
        || request.getLength() > MOST_BYTES) {
      then.run();
      return;
    }
    UnreadBodyDrain leftover = new UnreadBodyDrain(request, then);
    Scheduler.Task late =
        request
            .getComponents()
            .getScheduler()
            .schedule(leftover::end, longest.toMillis(), TimeUnit.MILLISECONDS);
    Request.addCompletionListener(request, failure -> late.cancel());
    leftover.run();
  }

  @Override
  public synchronized void run() {
    while (!over) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        end();
        return;
      }
      left -= chunk.remaining();
      boolean isLast = chunk.isLast() || left < 0;
      chunk.release();
      if (isLast) {
        end();
      }
    }
  }

  private synchronized void end() {
    if (!over) {
      over = true;
      then.run();
    }
  }
}
