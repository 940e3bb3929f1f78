package io.ensemble.rest.resource.context;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.schedule.RequestListener;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Threads for blocking work, on the catalog or on sites. The pool is bounded; further work is
 * rejected with {@link java.util.concurrent.RejectedExecutionException}.
 */
public final class BlockingTaskPool implements AutoCloseable {

  private static final long IDLE_SECONDS = 30;

  /** A single caller may have this part of the threads and places. */
  private static final int SHARE = 4;

  private final ThreadPoolExecutor pool;
  private final ConcurrencyLimit limitPerCaller;

  /**
   * @param threads the maximum number of running tasks
   * @param waiting the maximum number of waiting tasks
   */
  public BlockingTaskPool(int threads, int waiting) {
    int maxPerCaller = Math.max(1, (threads + waiting) / SHARE);
    limitPerCaller = new ConcurrencyLimit("waiting requests", maxPerCaller, Integer.MAX_VALUE);
    AtomicInteger count = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(waiting),
            task -> {
              Thread thread = new Thread(task, "ensemble-rest-worker-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  /** Runs blocking {@code work} on behalf of the request of the calling thread. */
  public <T> CompletionStage<T> waitFor(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    pool.execute(
        RequestListener.carried(
            () -> {
              try {
                result.complete(work.get());
              } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
              }
            }));
    return result;
  }

  /** Runs blocking {@code work} for a caller, with at most a quarter of the threads and places. */
  public <T> CompletionStage<T> waitFor(AuthorizedRequest authorizedRequest, Supplier<T> work) {
    String caller = authorizedRequest.caller().name();
    limitPerCaller.begin(caller);
    try {
      return waitFor(work).whenComplete((result, failure) -> limitPerCaller.end(caller));
    } catch (RuntimeException busy) {
      limitPerCaller.end(caller);
      throw busy;
    }
  }

  /** Runs blocking {@code work} that returns the response. */
  public CompletionStage<RestResponse> reply(
      AuthorizedRequest authorizedRequest, Supplier<RestResponse> work) {
    return waitFor(authorizedRequest, work);
  }

  /** Runs blocking {@code work} without a result. */
  public void run(Runnable work) {
    pool.execute(work);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
