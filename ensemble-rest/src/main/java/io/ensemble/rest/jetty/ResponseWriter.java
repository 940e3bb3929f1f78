package io.ensemble.rest.jetty;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Brings answers to clients. The bytes of an answer are booked until its client has taken them, and
 * a client that takes them too slowly is cut off: one byte now and then keeps a connection from
 * being idle.
 */
final class ResponseWriter {

  /** What is no longer than this is not booked. */
  private static final int SMALL = 8 << 10;

  /** The longest answer may take so much longer than an empty one. */
  private static final int TIMES = 8;

  private final ByteBudget budget;
  private final int longest;
  private final Duration slowest;

  /**
   * @param longest the length of a long answer
   * @param slowest how long a client may take for a short answer; eight times as long more for one
   *     of that length
   */
  ResponseWriter(ByteBudget budget, int longest, Duration slowest) {
    this.budget = budget;
    this.longest = longest;
    this.slowest = slowest;
  }

  /**
   * Sends the body of an answer whose head is set.
   *
   * @param body empty for none
   * @param caller whose bytes they are
   * @param callback told when the client has taken it, or is gone
   */
  void send(Request request, Response response, byte[] body, String caller, Callback callback) {
    Scheduler scheduler = request.getComponents().getScheduler();
    EndPoint end = connection(request);
    Taking taking = new Taking(caller, isBooked(body) ? body.length : 0);
    response.write(true, ByteBuffer.wrap(body), Callback.from(callback, (Runnable) taking::isOver));
    long millis = slowest.toMillis();
    taking.hurry(scheduler, end, millis + TIMES * millis * body.length / longest);
  }

  /** An answer that a client takes. */
  private final class Taking {

    private final String caller;
    private final long booked;

    // Both belong to this object's lock.
    private boolean over;
    private Scheduler.@Nullable Task late;

    Taking(String caller, long booked) {
      this.caller = caller;
      this.booked = booked;
    }

    synchronized void hurry(Scheduler scheduler, EndPoint end, long millis) {
      if (!over) {
        late = scheduler.schedule(end::close, millis, TimeUnit.MILLISECONDS);
      }
    }

    void isOver() {
      synchronized (this) {
        if (over) {
          return;
        }
        over = true;
        if (late != null) {
          late.cancel();
        }
      }
      budget.give(caller, booked);
    }
  }

  /**
   * The answer, if its bytes may be held for the caller; they are from now on. A problem in its
   * place if not, unless something was changed: that is told in any case.
   */
  RestResponse booked(RestResponse restResponse, String caller, boolean isOfChange) {
    if (!isBooked(restResponse.body())) {
      return restResponse;
    }
    if (isOfChange) {
      budget.force(caller, restResponse.body().length);
    } else if (!budget.take(caller, restResponse.body().length)) {
      return Problem.bare(
              ProblemType.BUSY,
              "wanted at most %d bytes of answers that nobody has taken yet, %d of one caller"
                  .formatted(budget.most(), budget.mostOfOne()))
          .header("Retry-After", "1")
          .reply("");
    }
    return restResponse;
  }

  private static boolean isBooked(byte[] body) {
    return body.length > SMALL;
  }

  /** The bare connection: under TLS a polite end would wait behind what is not taken. */
  private static EndPoint connection(Request request) {
    EndPoint end = request.getConnectionMetaData().getConnection().getEndPoint();
    while (end instanceof EndPoint.Wrapper wrapped) {
      end = wrapped.unwrap();
    }
    return end;
  }
}
