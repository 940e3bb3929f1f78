package io.ensemble.objects.runtime;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks in order, one at a time, on a shared executor. */
final class SequentialExecutor {

  private static final Logger LOG = LoggerFactory.getLogger(SequentialExecutor.class);
  private static final int AT_A_TIME = 64;

  private final Executor executor;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  SequentialExecutor(Executor executor) {
    this.executor = executor;
  }

  void run(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    executor.execute(this::some);
  }

  /** Runs some tasks, then returns the thread to the executor. */
  private void some() {
    for (int i = 0; i < AT_A_TIME; i++) {
      Runnable task;
      synchronized (tasks) {
        task = tasks.poll();
        if (task == null) {
          running = false;
          return;
        }
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) { // otherwise no further task would run
        LOG.error("A task of an atomic object failed", e);
      }
    }
    executor.execute(this::some);
  }
}
