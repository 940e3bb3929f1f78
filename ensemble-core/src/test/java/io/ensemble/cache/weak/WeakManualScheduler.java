package io.ensemble.cache.weak;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/** Virtual time in one thread; tasks run in the order of their times, then of submission. */
final class WeakManualScheduler implements Scheduler {

  static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private record Task(long atNanos, long number, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparing(Task::number));
  private long nanos;
  private long numbers;
  private boolean ended;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public long epochMicros() {
    return EPOCH_MICROS + nanos / 1000;
  }

  @Override
  public Executor answers() {
    return Runnable::run;
  }

  @Override
  public void execute(Runnable task) {
    after(0, task);
  }

  /** Ends as a real scheduler does: pending tasks are dropped, new ones are rejected. */
  void end() {
    ended = true;
    tasks.clear();
  }

  @Override
  public Timer after(long delayNanos, Runnable task) {
    if (ended) {
      throw new RejectedExecutionException("ended");
    }
    Task added = new Task(nanos + delayNanos, numbers++, task);
    tasks.add(added);
    return () -> tasks.remove(added);
  }

  /** The number of tasks scheduled so far. */
  long scheduled() {
    return numbers;
  }

  int waiting() {
    return tasks.size();
  }

  void run(Duration time) {
    long end = nanos + time.toNanos();
    runUntil(() -> tasks.isEmpty() || tasks.peek().atNanos() > end);
    nanos = end;
  }

  private void runUntil(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      Task next = tasks.remove();
      nanos = Math.max(nanos, next.atNanos());
      next.run().run();
    }
  }

  /** Runs tasks until {@code stage} completes; returns its result or throws its failure. */
  <T> T get(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    long latest = nanos + Duration.ofHours(1).toNanos();
    runUntil(() -> future.isDone() || tasks.isEmpty() || tasks.peek().atNanos() > latest);
    if (!future.isDone()) {
      throw new AssertionError("a stage never completed");
    }
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
