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
  private final Duration timeout;

  /**
   * @param timeout how long a client may take to send a body
   */
  RequestBodyReader(ByteBudget budget, Duration timeout) {
    this.budget = budget;
    this.timeout = timeout;
  }

  /** Whether the body of a request is being read, or has been. */
  static boolean hasBegun(Request request) {
    return request.getAttribute(BEGUN) != null;
  }

  /** Reads the whole body. Fails with a problem if the body is too large or does not arrive. */
  CompletionStage<byte[]> readBody(Request request, int maxBytes, String caller) {
    long length = request.getLength();
    if (length > maxBytes) {
      throw tooLarge(maxBytes, length + " bytes");
    }
    Reading reading = new Reading(request, maxBytes, caller, length >= 0);
    reading.reserve(Math.max(0, length));
    request.setAttribute(BEGUN, true);
    Request.addCompletionListener(request, failure -> reading.releaseReserved());
    reading.run();
    if (!reading.body.isDone()) {
      enforceTimeout(request, reading.body);
    }
    return reading.body;
  }

  private void enforceTimeout(Request request, CompletableFuture<byte[]> body) {
    Scheduler.Task timeoutTask =
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () ->
                    body.completeExceptionally(
                        Problem.of(
                            ProblemType.REQUEST_TIMEOUT,
                            "the body was not received within %s; nothing was done"
                                .formatted(timeout))),
                timeout.toMillis(),
                TimeUnit.MILLISECONDS);
    body.whenComplete((read, failure) -> timeoutTask.cancel());
  }

  static ProblemException tooLarge(int maxBytes, String actual) {
    return new ProblemException(
        Problem.mismatch(
                ProblemType.TOO_LARGE, "a body of at most %d bytes".formatted(maxBytes), actual)
            .with("most", maxBytes));
  }

  /** One body in transfer. Jetty runs this task by one thread at a time. */
  private final class Reading implements Invocable.Task {

    private final Request request;
    private final int maxBytes;
    private final String caller;
    private final boolean isReserved;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicLong reservedBytes = new AtomicLong();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();

    Reading(Request request, int maxBytes, String caller, boolean isReserved) {
      this.request = request;
      this.maxBytes = maxBytes;
      this.caller = caller;
      this.isReserved = isReserved;
    }

    void reserve(long extraBytes) {
      if (!budget.tryReserve(caller, extraBytes)) {
        throw new ProblemException(
            Problem.bare(
                    ProblemType.BUSY,
                    ("bodies in progress may have at most %d bytes, those of one caller %d; "
                            + "nothing was done")
                        .formatted(budget.maxBytes(), budget.maxBytesPerCaller()))
                .header("Retry-After", "1"));
      }
      reservedBytes.addAndGet(extraBytes);
    }

    void releaseReserved() {
      budget.release(caller, reservedBytes.getAndSet(0));
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
          append(chunk.getByteBuffer());
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

    private void append(ByteBuffer chunk) {
      int size = chunk.remaining();
      if (bytes.size() + size > maxBytes) {
        throw tooLarge(maxBytes, "more");
      }
      if (!isReserved) {
        reserve(size);
      }
      byte[] copy = new byte[size];
      chunk.get(copy);
      bytes.writeBytes(copy);
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }
}
