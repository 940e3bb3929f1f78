package io.ensemble.schedule;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler of production: a few daemon threads of its own, and one more that only watches the
 * time and passes due tasks to the others. An exception in a task is logged and ends that task
 * only. The queue is as long as the number of operations in progress, which its users limit.
 * Thread-safe.
 */
public final class ThreadScheduler implements Scheduler, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ThreadScheduler.class);

  private final ThreadPoolExecutor pool;
  private final ScheduledThreadPoolExecutor clock;

  /** A scheduler with as many threads as there are processors, at least two. */
  public ThreadScheduler() {
    this(Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  /**
   * A scheduler with {@code threads} threads.
   *
   * @throws IllegalArgumentException if {@code threads} is less than one
   */
  public ThreadScheduler(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("a scheduler needs at least 1 thread; got " + threads);
    }
    AtomicInteger number = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons(() -> "ensemble-" + number.incrementAndGet()));
    clock = new ScheduledThreadPoolExecutor(1, daemons(() -> "ensemble-timer"));
    clock.setRemoveOnCancelPolicy(true);
  }

  private ThreadFactory daemons(Supplier<String> name) {
    return task -> {
      Thread thread = new SchedulerThread(this, task, name.get());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Runs {@code task} soon, on one of the threads.
   *
   * @throws RejectedExecutionException after {@link #close()}
   */
  @Override
  public void execute(Runnable task) {
    pool.execute(() -> run(task));
  }

  static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable failure) { // an Error as well, because the thread runs other tasks
      log.error("a task failed; task={}", task, failure);
    }
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public long epochMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /**
   * {@inheritDoc}
   *
   * @throws RejectedExecutionException after {@link #close()}
   */
  @Override
  public Timer after(long delayNanos, Runnable task) {
    ScheduledFuture<?> due =
        clock.schedule(() -> hop(task), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
    return () -> due.cancel(false);
  }

  private void hop(Runnable task) {
    try {
      execute(task);
    } catch (RejectedExecutionException closed) {
      log.debug("a task became due after the scheduler was closed; task={}", task);
    }
  }

  @Override
  public Executor answers() {
    WaitingThread caller = WaitingThread.within(this);
    return caller == null || caller.isAside() ? this : caller;
  }

  @Override
  public boolean isOn(Executor answers) {
    return answers instanceof WaitingThread caller
        ? caller.isCurrent()
        : Thread.currentThread() instanceof SchedulerThread own && own.owner == this;
  }

  @Override
  public <T extends @Nullable Object> T aside(Supplier<T> code) {
    WaitingThread caller = WaitingThread.within(this);
    return caller == null ? code.get() : caller.aside(code);
  }

  @Override
  public boolean ownsCurrentThread() {
    if (Thread.currentThread() instanceof SchedulerThread own) {
      return own.owner == this;
    }
    return WaitingThread.runsTaskOf(this);
  }

  /** A thread that records its scheduler. */
  private static final class SchedulerThread extends Thread {

    private final ThreadScheduler owner;

    SchedulerThread(ThreadScheduler owner, Runnable task, String name) {
      super(task, name);
      this.owner = owner;
    }
  }

  /**
   * Ends the scheduler, without waiting. Tasks that {@link #execute} has accepted still run, tasks
   * scheduled for later are dropped, and new tasks are rejected. Before this call, close all users
   * that rely on a timer.
   */
  @Override
  public void close() {
    clock.shutdownNow();
    pool.shutdown();
  }
}
