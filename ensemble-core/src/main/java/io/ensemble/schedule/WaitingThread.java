package io.ensemble.schedule;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread inside a blocking call. The thread has nothing else to do, so it runs the tasks of
 * responses itself. So a response wakes one thread, not the scheduler's and then the caller's.
 * After the call has ended, late tasks run on the scheduler.
 */
public final class WaitingThread implements Executor {

  private static final ThreadLocal<@Nullable WaitingThread> CURRENT = new ThreadLocal<>();

  private final Scheduler scheduler;
  private final Thread thread = Thread.currentThread();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean left;
  private final @Nullable WaitingThread outer;

  // Only this thread uses these fields.
  private boolean runsTask;
  private boolean aside;

  private WaitingThread(Scheduler scheduler, @Nullable WaitingThread outer) {
    this.scheduler = scheduler;
    this.outer = outer;
  }

  /** The innermost blocking call by {@code scheduler} inside of which the calling thread is. */
  static @Nullable WaitingThread within(Scheduler scheduler) {
    WaitingThread current = CURRENT.get();
    return current != null && current.scheduler == scheduler ? current : null;
  }

  /**
   * Whether the calling thread runs the task of a response to a call by {@code scheduler} that it
   * is inside of. If such a thread waited for that scheduler again, it could wait for itself.
   */
  static boolean runsTaskOf(Scheduler scheduler) {
    for (WaitingThread call = CURRENT.get(); call != null; call = call.outer) {
      if (call.scheduler == scheduler && call.runsTask) {
        return true;
      }
    }
    return false;
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /**
   * Whether the thread runs a user's code, so that it could not handle responses if that code
   * waits.
   */
  boolean isAside() {
    return aside;
  }

  <T extends @Nullable Object> T aside(Supplier<T> code) {
    boolean before = aside;
    aside = true;
    try {
      return code.get();
    } finally {
      aside = before;
    }
  }

  /**
   * Makes {@code call} and waits until its future has completed.
   *
   * @return the future, still not done if that took {@code longestNanos}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public static <T extends @Nullable Object> CompletableFuture<T> await(
      Supplier<CompletableFuture<T>> call, Scheduler scheduler, long longestNanos)
      throws InterruptedException {
    WaitingThread outer = CURRENT.get();
    WaitingThread inner = new WaitingThread(scheduler, outer);
    CURRENT.set(inner);
    try {
      CompletableFuture<T> future = call.get();
      inner.until(future, longestNanos);
      return future;
    } finally {
      CURRENT.set(outer);
      inner.leave();
    }
  }

  private void until(CompletableFuture<?> future, long longestNanos) throws InterruptedException {
    if (future.isDone()) {
      return;
    }
    future.whenComplete((result, failure) -> wake());
    long start = System.nanoTime();
    while (!future.isDone()) {
      Runnable task = tasks.poll();
      if (task != null) {
        runsTask = true;
        ThreadScheduler.run(task);
        runsTask = false;
        continue;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long rest = longestNanos - (System.nanoTime() - start);
      if (rest <= 0) {
        return;
      }
      LockSupport.parkNanos(this, rest);
    }
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (left) {
      handOver();
    } else {
      wake();
    }
  }

  private void wake() {
    if (Thread.currentThread() != thread) {
      LockSupport.unpark(thread);
    }
  }

  private void leave() {
    left = true;
    handOver();
  }

  /**
   * Passes the tasks to the scheduler. A thread that adds a task checks whether the waiting thread
   * has left, and the waiting thread checks the queue again when it leaves.
   */
  private void handOver() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        scheduler.execute(task);
      } catch (RejectedExecutionException ended) {
        task.run();
      }
    }
  }
}
