package io.ensemble.rest.jetty;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * What is still to come of a body that nobody wants: it is taken and forgotten, up to a bound and
 * for a while, before the answer. A connection that is closed while its client sends may be reset,
 * and then the client never sees why it was refused.
 */
final class UnreadBodyDrain implements Runnable {

  private static final long MOST_BYTES = 4 << 20;

  private final Request request;
  private final Runnable then;

  // Both belong to this object's lock, and so does reading: whoever answers has the request alone.
  private boolean over;
  private long left = MOST_BYTES;

  private UnreadBodyDrain(Request request, Runnable then) {
    this.request = request;
    this.then = then;
  }

  /**
   * Runs {@code then} once, when all has come or no more is waited for.
   *
   * @param longest how long it is waited for
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
