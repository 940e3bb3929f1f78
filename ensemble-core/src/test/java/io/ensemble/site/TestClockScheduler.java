package io.ensemble.site;

import io.ensemble.schedule.Scheduler;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Time moves when the test says so, and everything runs on the test's thread. */
final class TestClockScheduler implements Scheduler {

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparingLong((Due d) -> d.at).thenComparingLong(d -> d.id));

  // Close to the overflow on purpose: such a clock is allowed.
  private long now = Long.MAX_VALUE - 50_000_000L;
  private long start = now;
  private long ids;
  int timersSet;
  boolean ended;
  Executor answers = Runnable::run;

  private record Due(long at, long id, Runnable task) {}

  @Override
  public Executor answers() {
    return answers;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public long epochMicros() {
    return 0;
  }

  @Override
  public Timer after(long delayNanos, Runnable task) {
    if (ended) {
      throw new RejectedExecutionException("ended");
    }
    timersSet++;
    Due entry = new Due(now - start + Math.max(0, delayNanos), ids++, task);
    due.add(entry);
    return () -> due.remove(entry);
  }

  int timersPending() {
    return due.size();
  }

  /** Runs all tasks that are ready. */
  void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  /** Lets time pass, and runs the tasks that become due meanwhile. */
  void passMillis(long millis) {
    long end = now - start + millis * 1_000_000;
    run();
    while (!due.isEmpty() && due.peek().at <= end) {
      Due next = due.remove();
      now = start + next.at;
      next.task.run();
      run();
    }
    now = start + end;
  }
}
