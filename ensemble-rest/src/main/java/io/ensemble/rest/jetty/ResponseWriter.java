package io.ensemble.rest.jetty;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.StreamingBody;
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
 * Sends responses to clients. The bytes of a response are reserved until its client has taken them.
 * A client that reads too slowly is disconnected, since one byte now and then keeps a connection
 * from being idle.
 */
final class ResponseWriter {

  /** A response up to this size needs no reservation. */
  private static final int SMALL = 8 << 10;

  /** The extra time of the longest response, as a multiple of the time of an empty one. */
  private static final int TIMES = 8;

  private final ByteBudget budget;
  private final int longResponseBytes;
  private final Duration timeout;

  /**
   * @param longResponseBytes the size of a long response, in bytes
   * @param timeout how long a client may take for a short response; a response of size {@code
   *     longest} may take eight times as long more
   */
  ResponseWriter(ByteBudget budget, int longResponseBytes, Duration timeout) {
    this.budget = budget;
    this.longResponseBytes = longResponseBytes;
    this.timeout = timeout;
  }

  /**
   * Sends the body of a response, after its head is set.
   *
   * @param body empty for none
   * @param caller the caller for which the bytes are reserved
   * @param callback completed when the client has taken the body, or is gone
   */
  void send(Request request, Response response, byte[] body, String caller, Callback callback) {
    Scheduler scheduler = request.getComponents().getScheduler();
    EndPoint endPoint = connection(request);
    Taking transfer = new Taking(caller, needsReservation(body) ? body.length : 0);
    response.write(
        true, ByteBuffer.wrap(body), Callback.from(callback, (Runnable) transfer::finish));
    long millis = timeout.toMillis();
    transfer.enforceTimeout(
        scheduler, endPoint, millis + TIMES * millis * body.length / longResponseBytes);
  }

  /** A response that a client is reading. */
  private final class Taking {

    private final String caller;
    private final long reservedBytes;

    // Both fields are guarded by this object's lock.
    private boolean ended;
    private Scheduler.@Nullable Task timeoutTask;

    Taking(String caller, long reservedBytes) {
      this.caller = caller;
      this.reservedBytes = reservedBytes;
    }

    synchronized void enforceTimeout(Scheduler scheduler, EndPoint endPoint, long millis) {
      if (!ended) {
        timeoutTask = scheduler.schedule(endPoint::close, millis, TimeUnit.MILLISECONDS);
      }
    }

    void finish() {
      synchronized (this) {
        if (ended) {
          return;
        }
        ended = true;
        if (timeoutTask != null) {
          timeoutTask.cancel();
        }
      }
      budget.release(caller, reservedBytes);
    }
  }

  /**
   * Reserves the bytes of the response for the caller. If the bounds do not allow it, returns a
   * problem instead. The response to a change is always sent, even above the bounds.
   */
  RestResponse reserve(RestResponse restResponse, String caller, boolean isOfChange) {
    if (!needsReservation(restResponse.body())) {
      return restResponse;
    }
    if (isOfChange) {
      budget.reserve(caller, restResponse.body().length);
    } else if (!budget.tryReserve(caller, restResponse.body().length)) {
      return Problem.bare(
              ProblemType.BUSY,
              "responses that are not yet read may have at most %d bytes, those of one caller %d"
                  .formatted(budget.maxBytes(), budget.maxBytesPerCaller()))
          .header("Retry-After", "1")
          .reply("");
    }
    return restResponse;
  }

  /** The connection for a response that is sent in parts, after its head is set. */
  StreamingBody.Way openStream(Response response, String caller, Callback callback) {
    return new JettyBodyStream(response, budget, caller, callback);
  }

  private static boolean needsReservation(byte[] body) {
    return body.length > SMALL;
  }

  /** The bare connection: under TLS, an orderly close would wait behind the unread bytes. */
  private static EndPoint connection(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapped) {
      endPoint = wrapped.unwrap();
    }
    return endPoint;
  }
}
