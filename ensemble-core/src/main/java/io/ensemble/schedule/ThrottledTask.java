package io.ensemble.schedule;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task on request, at most once in each interval. Requests that arrive while a run is in
 * progress or scheduled are covered by that run. Thread-safe.
 */
public final class ThrottledTask {

  private static final Logger LOG = LoggerFactory.getLogger(ThrottledTask.class);

  private final String name;
  private final Scheduler scheduler;
  private final long intervalNanos;
  private final Supplier<? extends CompletionStage<?>> task;
  private final AtomicBoolean underWay = new AtomicBoolean();

  // Both fields belong to the request that has set `underWay`.
  private boolean hasRun;
  private long beganNanos;

  /**
   * @param name of the task, for the log
   * @param interval the least time between the beginnings of two runs
   * @param task a run, which ends with its stage; must not block
   */
  public ThrottledTask(
      String name,
      Scheduler scheduler,
      Duration interval,
      Supplier<? extends CompletionStage<?>> task) {
    this.name = name;
    this.scheduler = scheduler;
    this.intervalNanos = interval.toNanos();
    this.task = task;
  }

  /**
   * Requests a run: on this thread, or on the scheduler if the previous run began less than an
   * interval ago. Without effect once the scheduler has ended.
   */
  public void request() {
    if (!underWay.compareAndSet(false, true)) {
      return;
    }
    long now = scheduler.nanos();
    long pause = hasRun ? Math.max(0, beganNanos + intervalNanos - now) : 0;
    beganNanos = now + pause;
    hasRun = true;
    if (pause == 0) {
      run();
      return;
    }
    try {
      scheduler.after(pause, this::run);
    } catch (RejectedExecutionException ended) {
      underWay.set(false);
    }
  }

  private void run() {
    CompletionStage<?> end;
    try {
      end = task.get();
    } catch (RuntimeException | Error broken) {
      LOG.error("a requested run failed; task={}", name, broken);
      underWay.set(false);
      return;
    }
    end.whenComplete((done, failure) -> underWay.set(false));
  }
}
