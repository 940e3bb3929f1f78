package io.ensemble.objects;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads of a factory: started when there is work, ended after some idle time. */
final class FactoryThreads {

  private static final int PARALLEL = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final int MOST = 256 + PARALLEL;
  private static final long IDLE_SECONDS = 10;
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final @Nullable ExecutorService own;
  private final Executor executor;
  private final ScheduledThreadPoolExecutor timer;
  private final AtomicBoolean closed = new AtomicBoolean();

  FactoryThreads(@Nullable Executor given) {
    if (given == null) {
      own = pool();
      executor = orHere(own);
    } else {
      own = null;
      executor = orHere(given);
    }
    timer = (ScheduledThreadPoolExecutor) Executors.newScheduledThreadPool(1, named("timer"));
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    timer.setRemoveOnCancelPolicy(true);
  }

  /**
   * Runs a task on the calling thread if the executor rejects it, since it was shut down or is
   * full. So no caller waits forever.
   */
  private static Executor orHere(Executor executor) {
    return task -> {
      try {
        executor.execute(task);
      } catch (RejectedExecutionException e) {
        task.run();
      }
    };
  }

  /** A pool that adds threads while threads block on calls, in continuations of callers. */
  private static ExecutorService pool() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return new ForkJoinPool(
        PARALLEL,
        pool -> {
          ForkJoinWorkerThread thread =
              ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
          thread.setName("ensemble-atomic-objects-" + NUMBERS.incrementAndGet());
          thread.setContextClassLoader(loader);
          return thread;
        },
        null,
        true,
        0,
        MOST,
        1,
        pool -> true,
        IDLE_SECONDS,
        TimeUnit.SECONDS);
  }

  Executor executor() {
    return executor;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the factory is closed");
    }
  }

  /** Marks the threads as closed; true if they were closed before. */
  boolean close() {
    return closed.getAndSet(true);
  }

  void stop() {
    timer.shutdownNow();
    if (own != null) {
      own.shutdown();
    }
  }

  private static ThreadFactory named(String role) {
    return task -> {
      Thread thread = new Thread(task, "ensemble-" + role + "-" + NUMBERS.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
