package io.ensemble.schedule;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task at intervals, until this object is closed or the scheduler has ended. An interval
 * begins when the previous run has ended, so runs do not overlap. A run that fails or throws is
 * followed by the next one. Thread-safe.
 */
public final class PeriodicTask implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);

  private final String name;
  private final Scheduler scheduler;
  private final Supplier<Duration> interval;
  private final Supplier<? extends CompletionStage<?>> task;

  // All fields below are guarded by this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean started;
  private boolean closed;

  /**
   * @param name of the task, for the log
   * @param task a run, which ends with its stage; called on the scheduler, must not block
   */
  public PeriodicTask(
      String name,
      Scheduler scheduler,
      Duration interval,
      Supplier<? extends CompletionStage<?>> task) {
    this(name, scheduler, () -> interval, task);
  }

  /**
   * As the other constructor, with an interval that may change.
   *
   * @param interval the time until the next run, called when the previous one has ended
   */
  public PeriodicTask(
      String name,
      Scheduler scheduler,
      Supplier<Duration> interval,
      Supplier<? extends CompletionStage<?>> task) {
    this.name = name;
    this.scheduler = scheduler;
    this.interval = interval;
    this.task = task;
  }

  /** Begins the first interval. Without effect if this object was started or closed before. */
  public synchronized void start() {
    if (!started) {
      started = true;
      runLater();
    }
  }

  /** As {@link #start}, but the first run begins now, on this thread. */
  public void startNow() {
    synchronized (this) {
      if (started || closed) {
        return;
      }
      started = true;
    }
    run();
  }

  private synchronized void runLater() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(interval.get().toNanos(), this::run);
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; task={}", name);
    }
  }

  private void run() {
    synchronized (this) {
      if (closed) {
        return; // A timer that was due already may not be cancelled.
      }
    }
    CompletionStage<?> end;
    try {
      end = task.get();
    } catch (RuntimeException | Error broken) {
      LOG.error("a run failed, the next one follows; task={}", name, broken);
      runLater();
      return;
    }
    end.whenComplete((done, failure) -> runLater());
  }

  /** Begins no further run. A run in progress continues. */
  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
