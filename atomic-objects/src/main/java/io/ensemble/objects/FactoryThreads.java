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

/** A factory's threads: started when there is something to do, gone some time after. */
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
   * Where an executor takes nothing more, since it was shut down or is full, what is left runs
   * right here, so that nobody waits for ever.
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

  /** A pool that replaces threads which wait for calls, in callers' own continuations. */
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

  /** Whether that was done before. */
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
