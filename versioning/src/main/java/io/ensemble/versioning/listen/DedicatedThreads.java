package io.ensemble.versioning.listen;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that blocking tasks of other components do not delay; each exists while it has work. */
final class DedicatedThreads {

  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int IDLE_SECONDS = 10;

  private DedicatedThreads() {}

  /** Runs one task at a time, on a daemon thread. */
  static ThreadPoolExecutor named(String role) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread =
                  new Thread(task, "ensemble-" + role + "-" + NUMBERS.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }
}
