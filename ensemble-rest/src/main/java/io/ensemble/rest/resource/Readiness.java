package io.ensemble.rest.resource;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the catalog can be read. Unauthenticated callers may ask, so a thread of this object
 * checks at most once a second. All requests in between get the same result. Thread-safe.
 */
final class Readiness implements AutoCloseable {

  private static final int MOST_WAITING = 64;
  private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Runnable looking;
  private final LongSupplier nanos;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread one = new Thread(task, "ensemble-rest-ready");
            one.setDaemon(true);
            return one;
          });

  // Both fields are guarded by this object's lock.
  private @Nullable CompletableFuture<RestResponse> last;
  private long endedAt;

  /**
   * @param looking may block; fails if the catalog cannot be read
   */
  Readiness(Runnable looking, LongSupplier nanos) {
    this.looking = looking;
    this.nanos = nanos;
  }

  /** The response. Fails with a problem if too many requests wait for it. */
  CompletionStage<RestResponse> ask() {
    CompletableFuture<RestResponse> answer = present();
    if (answer.isDone()) {
      return answer.copy();
    }
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d requests may wait for a check of the catalog".formatted(MOST_WAITING))
              .header("Retry-After", "1"));
    }
    return answer.whenComplete((reply, failure) -> waiting.decrementAndGet());
  }

  private synchronized CompletableFuture<RestResponse> present() {
    CompletableFuture<RestResponse> known = last;
    if (known != null && (!known.isDone() || nanos.getAsLong() - endedAt < GOOD_NANOS)) {
      return known;
    }
    CompletableFuture<RestResponse> look = CompletableFuture.supplyAsync(this::look, thread);
    last = look;
    return look;
  }

  private RestResponse look() {
    try {
      looking.run();
      return RestResponse.json(200, Map.of("status", "ready"));
    } finally {
      synchronized (this) {
        endedAt = nanos.getAsLong();
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
