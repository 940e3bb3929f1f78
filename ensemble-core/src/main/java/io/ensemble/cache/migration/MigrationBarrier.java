package io.ensemble.cache.migration;

import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * Calls wait here until their key is taken over, or all keys are: within their deadlines, at most
 * {@value #MOST_WAITING} of them. A failed takeover is retried every tenth of a second.
 * Thread-safe.
 */
final class MigrationBarrier implements AutoCloseable {

  static final int MOST_WAITING = 4_096;

  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  private final KeyMigrator keyMigrator;
  private final Scheduler scheduler;
  private final Runnable look;
  private volatile boolean open;

  // Both fields are guarded by this object's lock.
  private final Set<CompletableFuture<Void>> waiting = new HashSet<>();
  private boolean closed;

  MigrationBarrier(KeyMigrator keyMigrator, Scheduler scheduler, Runnable look) {
    this.keyMigrator = keyMigrator;
    this.scheduler = scheduler;
    this.look = look;
  }

  boolean isOpen() {
    return open;
  }

  /** Admits all calls from now on, unless the barrier is closed. */
  void open() {
    List<CompletableFuture<Void>> released;
    synchronized (this) {
      if (closed) {
        return;
      }
      open = true;
      released = drained();
    }
    released.forEach(one -> one.complete(null));
  }

  private List<CompletableFuture<Void>> drained() {
    List<CompletableFuture<Void>> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Rejects all waiting calls, and later calls whose key was not taken over. */
  @Override
  public void close() {
    List<CompletableFuture<Void>> refused;
    synchronized (this) {
      closed = true;
      refused = drained();
    }
    refused.forEach(one -> one.completeExceptionally(new IllegalStateException("closed")));
  }

  /** Completes when all keys are taken over; fails at the deadline. */
  CompletionStage<Void> whenOpen(Deadline deadline) {
    return admitted(deadline);
  }

  /** Completes when the key is taken over; fails at the deadline with the reason. */
  CompletionStage<Void> pass(Bytes key, Deadline deadline) {
    CompletableFuture<Void> admitted = admitted(deadline);
    if (!admitted.isDone()) {
      AsyncLoop.whileTrue(scheduler, () -> step(key, deadline, admitted))
          .whenComplete(
              (done, failure) -> {
                if (failure == null) {
                  admitted.complete(null);
                } else {
                  admitted.completeExceptionally(failure);
                }
              });
    }
    return admitted;
  }

  private CompletableFuture<Void> admitted(Deadline deadline) {
    CompletableFuture<Void> admitted = new CompletableFuture<>();
    synchronized (this) {
      if (open) {
        admitted.complete(null);
      } else if (closed || waiting.size() >= MOST_WAITING) {
        admitted.completeExceptionally(
            new IllegalStateException(closed ? "closed" : "too many calls are waiting"));
      } else {
        waiting.add(admitted);
      }
    }
    if (!admitted.isDone()) {
      long left = Math.max(0, deadline.remainingNanos(scheduler));
      Timer late = scheduler.after(left, () -> admitted.completeExceptionally(late()));
      admitted.whenComplete((done, failure) -> leave(admitted, late));
    }
    return admitted;
  }

  private static IllegalStateException late() {
    return new IllegalStateException(LazyMigrationEngine.TAKING);
  }

  private synchronized void leave(CompletableFuture<Void> admitted, Timer late) {
    waiting.remove(admitted);
    late.cancel();
  }

  /** Makes an attempt; false when there is nothing more to attempt. */
  private CompletionStage<Boolean> step(
      Bytes key, Deadline deadline, CompletableFuture<Void> admitted) {
    if (admitted.isDone()) {
      return CompletableFuture.completedFuture(false);
    }
    return keyMigrator
        .take(key, deadline)
        .handle(
            (taken, failure) -> {
              if (failure == null && taken) {
                return CompletableFuture.completedFuture(false);
              }
              look.run(); // Perhaps all keys are taken over, and the former stores are gone.
              if (failure != null && deadline.remainingNanos(scheduler) <= PAUSE_NANOS) {
                return CompletableFuture.<Boolean>failedFuture(failure);
              }
              return later();
            })
        .thenCompose(stage -> stage);
  }

  private CompletableFuture<Boolean> later() {
    CompletableFuture<Boolean> woken = new CompletableFuture<>();
    try {
      scheduler.after(PAUSE_NANOS, () -> woken.complete(true));
    } catch (RejectedExecutionException closed) {
      woken.completeExceptionally(closed);
    }
    return woken;
  }
}
