package io.ensemble.rest.jetty;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Reads the bodies of requests. Their bytes are reserved until the request is answered: all of them
 * before the body arrives if its length is declared, otherwise as they arrive.
 */
final class RequestBodyReader {

  private static final String BEGUN = RequestBodyReader.class.getName() + ".begun";

  private final ByteBudget budget;
  private final Duration slowest;

  /**
   * @param slowest how long a client may take to send a body
   */
  RequestBodyReader(ByteBudget budget, Duration slowest) {
    this.budget = budget;
    this.slowest = slowest;
  }

  /** Whether the body of a request is being read, or has been. */
  static boolean hasBegun(Request request) {
    return request.getAttribute(BEGUN) != null;
  }

  /** Reads the whole body. Fails with a problem if the body is too large or does not arrive. */
  CompletionStage<byte[]> of(Request request, int most, String caller) {
    long length = request.getLength();
    if (length > most) {
      throw tooLarge(most, length + " bytes");
    }
    Reading reading = new Reading(request, most, caller, length >= 0);
    reading.book(Math.max(0, length));
    request.setAttribute(BEGUN, true);
    Request.addCompletionListener(request, failure -> reading.giveBack());
    reading.run();
    if (!reading.body.isDone()) {
      hurry(request, reading.body);
    }
    return reading.body;
  }

  private void hurry(Request request, CompletableFuture<byte[]> body) {
    Scheduler.Task late =
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () ->
                    body.completeExceptionally(
                        Problem.of(
                            ProblemType.REQUEST_TIMEOUT,
                            "the body was not received within %s; nothing was done"
                                .formatted(slowest))),
                slowest.toMillis(),
                TimeUnit.MILLISECONDS);
    body.whenComplete((read, failure) -> late.cancel());
  }

  static ProblemException tooLarge(int most, String came) {
    return new ProblemException(
        Problem.other(ProblemType.TOO_LARGE, "a body of at most %d bytes".formatted(most), came)
            .with("most", most));
  }

  /** One body in transfer. Jetty runs this task by one thread at a time. */
  private final class Reading implements Invocable.Task {

    private final Request request;
    private final int most;
    private final String caller;
    private final boolean isBooked;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicLong booked = new AtomicLong();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();

    Reading(Request request, int most, String caller, boolean isBooked) {
      this.request = request;
      this.most = most;
      this.caller = caller;
      this.isBooked = isBooked;
    }

    void book(long more) {
      if (!budget.take(caller, more)) {
        throw new ProblemException(
            Problem.bare(
                    ProblemType.BUSY,
                    ("bodies in progress may have at most %d bytes, those of one caller %d; "
                            + "nothing was done")
                        .formatted(budget.most(), budget.mostOfOne()))
                .header("Retry-After", "1"));
      }
      booked.addAndGet(more);
    }

    void giveBack() {
      budget.give(caller, booked.getAndSet(0));
    }

    @Override
    public void run() {
      while (!body.isDone()) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          request.demand(this);
          return;
        }
        if (Content.Chunk.isFailure(chunk)) {
          body.completeExceptionally(Problem.of(ProblemType.MALFORMED, "the body is incomplete"));
          return;
        }
        boolean isLast = chunk.isLast();
        try {
          take(chunk.getByteBuffer());
        } catch (ProblemException refused) {
          body.completeExceptionally(refused);
        } finally {
          chunk.release();
        }
        if (isLast) {
          body.complete(bytes.toByteArray());
        }
      }
    }

    private void take(ByteBuffer more) {
      int size = more.remaining();
      if (bytes.size() + size > most) {
        throw tooLarge(most, "more");
      }
      if (!isBooked) {
        book(size);
      }
      byte[] copy = new byte[size];
      more.get(copy);
      bytes.writeBytes(copy);
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }
}
