package io.ensemble.rest.resource.context;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.resource.context.FairTaskQueue.Task;
import io.ensemble.schedule.RequestListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for blocking work, on the catalog or on sites. Each kind of work has threads and waiting
 * places of its own: the requests of one route are a kind. So a kind that is slow, or that waits
 * for a failed site, never delays another kind. Further work of a full kind is rejected with {@link
 * RejectedExecutionException}. Threads start when needed, and end after 30 s without work.
 * Thread-safe.
 */
public final class BlockingTaskPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BlockingTaskPool.class);

  private static final String OPENING = "opening";

  private static final String PERIODIC = "periodic";

  private static final long IDLE_SECONDS = 30;

  /** A single caller may have this part of the places of a kind. */
  private static final int SHARE = 4;

  private final int threads;
  private final int waiting;
  private final ThreadPoolExecutor executor;
  private final ConcurrencyLimit limitPerCaller;

  /** A kind is a route or one of the constants, so the number of kinds is bounded. */
  private final ConcurrentMap<String, FairTaskQueue> queues = new ConcurrentHashMap<>();

  /**
   * @param threads the maximum number of running tasks of a kind
   * @param waiting the maximum number of waiting tasks of a kind
   */
  public BlockingTaskPool(int threads, int waiting) {
    this.threads = threads;
    this.waiting = waiting;
    int maxPerCaller = Math.max(1, (threads + waiting) / SHARE);
    limitPerCaller = new ConcurrencyLimit("waiting requests", maxPerCaller, Integer.MAX_VALUE);
    AtomicInteger count = new AtomicInteger();
    executor = // The queues bound the number of threads.
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "ensemble-rest-worker-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens a cache or an object of it by blocking {@code work}, on behalf of the request of the
   * calling thread.
   *
   * @param cache its name; work for one cache takes at most half of the threads
   */
  public <T> CompletionStage<T> open(String cache, Supplier<T> work) {
    return waitFor(OPENING, cache, work);
  }

  /**
   * Runs blocking {@code work} of a kind, on behalf of the request of the calling thread.
   *
   * @param kind a constant
   * @param user whose work it is; one user takes at most half of the threads
   */
  public <T> CompletionStage<T> waitFor(String kind, String user, Supplier<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable task =
        () -> {
          try {
            outcome.complete(work.get());
          } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
          }
        };
    Runnable completion =
        () ->
            outcome.whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    result.complete(value);
                  } else {
                    result.completeExceptionally(failure);
                  }
                });
    submit(
        kind, new Task(user, RequestListener.carried(task), RequestListener.carried(completion)));
    return result;
  }

  /**
   * Runs blocking {@code work} for a request. A caller may have at most a quarter of the threads
   * and places of the request's kind, and half of its threads.
   *
   * @throws io.ensemble.rest.http.ProblemException if the caller has no place left
   */
  public <T> CompletionStage<T> waitFor(AuthorizedRequest authorizedRequest, Supplier<T> work) {
    String kind = authorizedRequest.operation();
    String caller = authorizedRequest.caller().name();
    String key = kind + ' ' + caller;
    limitPerCaller.begin(key);
    try {
      return waitFor(kind, caller, work).whenComplete((result, failure) -> limitPerCaller.end(key));
    } catch (RuntimeException busy) {
      limitPerCaller.end(key);
      throw busy;
    }
  }

  /** Runs blocking {@code work} that returns the response. */
  public CompletionStage<RestResponse> reply(
      AuthorizedRequest authorizedRequest, Supplier<RestResponse> work) {
    return waitFor(authorizedRequest, work);
  }

  /** Runs blocking {@code work} of a periodic task. */
  public void run(Runnable work) {
    run(PERIODIC, work);
  }

  /**
   * Runs blocking {@code work} without a result.
   *
   * @param kind a constant
   */
  public void run(String kind, Runnable work) {
    submit(kind, new Task(kind, work, () -> {}));
  }

  private void submit(String kind, Task task) {
    FairTaskQueue queue =
        queues.computeIfAbsent(kind, name -> new FairTaskQueue(name, threads, waiting));
    if (queue.add(task)) {
      try {
        executor.execute(() -> runAll(queue, task));
      } catch (RejectedExecutionException closed) {
        queue.finish(task);
        throw closed;
      }
    }
  }

  /** Runs a task, and those that take its place. A task completes when its place is free again. */
  private static void runAll(FairTaskQueue queue, Task first) {
    Task task = first;
    while (task != null) {
      try {
        task.work().run();
      } catch (RuntimeException | Error e) { // The next task needs this thread.
        LOG.warn("a task failed", e);
      }
      Task next = queue.finish(task);
      task.completion().run();
      task = next;
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
