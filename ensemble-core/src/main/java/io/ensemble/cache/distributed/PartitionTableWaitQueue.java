package io.ensemble.cache.distributed;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls wait here for a newer catalog record, within their deadlines, at most {@value
 * #MOST_WAITING} of them. While calls wait, the record is read four times a second. Thread-safe.
 */
final class PartitionTableWaitQueue {

  /** How many calls may wait. */
  static final int MOST_WAITING = 1_024;

  private static final long LOOK_NANOS = Duration.ofMillis(250).toNanos();

  private final Scheduler scheduler;
  private final Runnable look;

  // The fields below are guarded by this object's lock.
  private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
  private boolean isLooking;
  private @Nullable Timer looking;
  private boolean closed;

  /**
   * @param look starts a read of the record
   */
  PartitionTableWaitQueue(Scheduler scheduler, Runnable look) {
    this.scheduler = scheduler;
    this.look = look;
  }

  /**
   * True when the waiting calls are released, or immediately if {@code isReleased}. False at the
   * deadline, when too many calls wait, and once the queue is closed.
   */
  CompletionStage<Boolean> awaitNewerTable(BooleanSupplier isReleased, Deadline deadline) {
    CompletableFuture<Boolean> waiter = new CompletableFuture<>();
    boolean looks;
    synchronized (this) {
      if (isReleased.getAsBoolean()) {
        return CompletableFuture.completedFuture(true);
      }
      if (closed || waiting.size() >= MOST_WAITING || deadline.hasPassed(scheduler)) {
        return CompletableFuture.completedFuture(false);
      }
      waiting.add(waiter);
      looks = !isLooking;
      isLooking = true;
    }
    try {
      Timer late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)), () -> stopWaiting(waiter));
      waiter.whenComplete((yes, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      stopWaiting(waiter);
    }
    if (looks) {
      lookAgain();
    }
    return waiter;
  }

  private void stopWaiting(CompletableFuture<Boolean> late) {
    synchronized (this) {
      waiting.remove(late);
    }
    late.complete(false);
  }

  private void lookAgain() {
    synchronized (this) {
      if (closed || waiting.isEmpty()) {
        isLooking = false;
        return;
      }
      try {
        looking = scheduler.after(LOOK_NANOS, this::lookAgain);
      } catch (RejectedExecutionException ended) {
        return;
      }
    }
    look.run();
  }

  /** Releases the waiting calls, if {@code change} reports a change. */
  void releaseIf(BooleanSupplier change) {
    List<CompletableFuture<Boolean>> released;
    synchronized (this) {
      if (!change.getAsBoolean()) {
        return;
      }
      released = List.copyOf(waiting);
      waiting.clear();
    }
    released.forEach(one -> one.complete(true));
  }

  /** Fails the waiting calls, and all later calls that would wait. */
  void close() {
    List<CompletableFuture<Boolean>> ended;
    synchronized (this) {
      closed = true;
      if (looking != null) {
        looking.cancel();
      }
      ended = List.copyOf(waiting);
      waiting.clear();
    }
    ended.forEach(one -> one.complete(false));
  }
}
