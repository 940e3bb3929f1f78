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
 * Threads for what waits: for the catalog, or for sites. Bounded; what is over is refused with
 * {@link java.util.concurrent.RejectedExecutionException}.
 */
public final class BlockingTaskPool implements AutoCloseable {

  private static final long IDLE_SECONDS = 30;

  /** One caller may have that part of the threads and places. */
  private static final int SHARE = 4;

  private final ThreadPoolExecutor pool;
  private final ConcurrencyLimit ofEach;

  /**
   * @param threads how many work at once
   * @param waiting how many more tasks wait
   */
  public BlockingTaskPool(int threads, int waiting) {
    int mostOfOne = Math.max(1, (threads + waiting) / SHARE);
    ofEach = new ConcurrencyLimit("requests that wait", mostOfOne, Integer.MAX_VALUE);
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

  /** Has {@code work} done, which may wait, for whom the calling thread works. */
  public <T> CompletionStage<T> waitFor(Supplier<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    pool.execute(
        RequestListener.carried(
            () -> {
              try {
                done.complete(work.get());
              } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
              }
            }));
    return done;
  }

  /** The same for a caller, who has a quarter of the threads and places at most. */
  public <T> CompletionStage<T> waitFor(AuthorizedRequest authorizedRequest, Supplier<T> work) {
    String caller = authorizedRequest.caller().name();
    ofEach.begin(caller);
    try {
      return waitFor(work).whenComplete((done, failure) -> ofEach.end(caller));
    } catch (RuntimeException busy) {
      ofEach.end(caller);
      throw busy;
    }
  }

  /** Has {@code work} done, whose answer is the reply. */
  public CompletionStage<RestResponse> reply(
      AuthorizedRequest authorizedRequest, Supplier<RestResponse> work) {
    return waitFor(authorizedRequest, work);
  }

  /** Has {@code work} done for its own sake. */
  public void run(Runnable work) {
    pool.execute(work);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
