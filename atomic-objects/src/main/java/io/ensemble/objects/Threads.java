package io.ensemble.objects;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A factory's threads: started when there is something to do, gone some time after. */
final class Threads {

  private static final int MOST = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final long IDLE_SECONDS = 10;
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final @Nullable ExecutorService own;
  private final Executor executor;
  private final ScheduledThreadPoolExecutor timer;
  private final AtomicBoolean closed = new AtomicBoolean();

  Threads(@Nullable Executor given) {
    if (given == null) {
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              MOST,
              MOST,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              named("atomic-objects"));
      pool.allowCoreThreadTimeOut(true);
      own = pool;
      executor = pool;
    } else {
      own = null;
      executor = given;
    }
    timer = (ScheduledThreadPoolExecutor) Executors.newScheduledThreadPool(1, named("timer"));
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    timer.setRemoveOnCancelPolicy(true);
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
