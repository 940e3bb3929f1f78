package io.ensemble.rest.resource;

import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.schedule.Witness;
import java.util.HashMap;
import java.util.Map;
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
public final class Workers implements AutoCloseable {

  private static final long IDLE_SECONDS = 30;

  /** One caller may have that part of the threads and places. */
  private static final int SHARE = 4;

  private final ThreadPoolExecutor pool;
  private final int mostOfOne;

  /** Belongs to this object's lock. */
  private final Map<String, Integer> ofEach = new HashMap<>();

  /**
   * @param threads how many work at once
   * @param waiting how many more tasks wait
   */
  public Workers(int threads, int waiting) {
    mostOfOne = Math.max(1, (threads + waiting) / SHARE);
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
  <T> CompletionStage<T> waitFor(Supplier<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    pool.execute(
        Witness.carried(
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
  <T> CompletionStage<T> waitFor(Call call, Supplier<T> work) {
    String caller = call.caller().name();
    begin(caller);
    try {
      return waitFor(work).whenComplete((done, failure) -> end(caller));
    } catch (RuntimeException busy) {
      end(caller);
      throw busy;
    }
  }

  /** Has {@code work} done, whose answer is the reply. */
  CompletionStage<Reply> reply(Call call, Supplier<Reply> work) {
    return waitFor(call, work);
  }

  private synchronized void begin(String caller) {
    if (ofEach.getOrDefault(caller, 0) >= mostOfOne) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "wanted at most %d requests of one caller that wait; nothing was done"
                      .formatted(mostOfOne))
              .with("most", mostOfOne)
              .header("Retry-After", "1"));
    }
    ofEach.merge(caller, 1, Integer::sum);
  }

  private synchronized void end(String caller) {
    ofEach.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }

  /** Has {@code work} done for its own sake. */
  void run(Runnable work) {
    pool.execute(work);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
