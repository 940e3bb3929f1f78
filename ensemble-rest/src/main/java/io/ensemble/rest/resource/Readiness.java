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

  private final Runnable catalogCheck;
  private final LongSupplier nanoTime;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "ensemble-rest-ready");
            thread.setDaemon(true);
            return thread;
          });

  // Both fields are guarded by this object's lock.
  private @Nullable CompletableFuture<RestResponse> lastCheck;
  private long lastCheckEndNanos;

  /**
   * @param catalogCheck may block; fails if the catalog cannot be read
   */
  Readiness(Runnable catalogCheck, LongSupplier nanoTime) {
    this.catalogCheck = catalogCheck;
    this.nanoTime = nanoTime;
  }

  /** The response. Fails with a problem if too many requests wait for it. */
  CompletionStage<RestResponse> check() {
    CompletableFuture<RestResponse> check = currentCheck();
    if (check.isDone()) {
      return check.copy();
    }
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d requests may wait for a check of the catalog".formatted(MOST_WAITING))
              .header("Retry-After", "1"));
    }
    return check.whenComplete((reply, failure) -> waiting.decrementAndGet());
  }

  private synchronized CompletableFuture<RestResponse> currentCheck() {
    CompletableFuture<RestResponse> previous = lastCheck;
    if (previous != null
        && (!previous.isDone() || nanoTime.getAsLong() - lastCheckEndNanos < GOOD_NANOS)) {
      return previous;
    }
    CompletableFuture<RestResponse> newCheck =
        CompletableFuture.supplyAsync(this::runCheck, executor);
    lastCheck = newCheck;
    return newCheck;
  }

  private RestResponse runCheck() {
    try {
      catalogCheck.run();
      return RestResponse.json(200, Map.of("status", "ready"));
    } finally {
      synchronized (this) {
        lastCheckEndNanos = nanoTime.getAsLong();
      }
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
