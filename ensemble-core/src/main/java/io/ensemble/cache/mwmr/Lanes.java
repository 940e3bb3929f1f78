package io.ensemble.cache.mwmr;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writers of one key take turns, so that one process does not contend with itself, and so that the
 * register need remember one proposal of each writer only. A queue is bounded, and a turn that does
 * not come by the deadline is given up. Thread-safe.
 */
final class Lanes {

  /** How many writers may wait for one key. */
  static final int LIMIT = 1024;

  private final Scheduler scheduler;
  private final Map<Bytes, Deque<Turn>> lanes = new ConcurrentHashMap<>();

  Lanes(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Runs {@code task} when its turn has come.
   *
   * @param giveUp the answer when no turn comes: nothing was done
   */
  <T> CompletionStage<T> take(
      Bytes key, Deadline deadline, Supplier<CompletionStage<T>> task, Supplier<T> giveUp) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Turn turn = new Turn(() -> run(key, task, answer), () -> answer.complete(giveUp.get()));
    boolean[] outcome = new boolean[2];
    lanes.compute(
        key,
        (same, queue) -> {
          Deque<Turn> lane = queue == null ? new ArrayDeque<>(2) : queue;
          outcome[0] = lane.isEmpty();
          outcome[1] = lane.size() > LIMIT;
          if (!outcome[1]) {
            lane.add(turn);
          }
          return lane;
        });
    if (outcome[1]) {
      answer.complete(giveUp.get());
    } else if (outcome[0]) {
      turn.start();
    } else {
      turn.awaitUntil(deadline, scheduler, () -> forget(key, turn));
    }
    return answer;
  }

  private <T> void run(Bytes key, Supplier<CompletionStage<T>> task, CompletableFuture<T> answer) {
    task.get()
        .whenComplete(
            (result, failure) -> {
              next(key);
              if (failure == null) {
                answer.complete(result);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private void next(Bytes key) {
    Turn[] next = new Turn[1];
    lanes.computeIfPresent(
        key,
        (same, lane) -> {
          lane.remove();
          next[0] = lane.peek();
          return lane.isEmpty() ? null : lane;
        });
    if (next[0] != null) {
      scheduler.execute(next[0]::start);
    }
  }

  private boolean forget(Bytes key, Turn turn) {
    boolean[] removed = new boolean[1];
    lanes.computeIfPresent(
        key,
        (same, lane) -> {
          removed[0] = lane.peek() != turn && lane.remove(turn);
          return lane;
        });
    return removed[0];
  }

  /** How many keys have a writer. */
  int size() {
    return lanes.size();
  }

  /** One writer's place in a lane. */
  private static final class Turn {

    private final Runnable task;
    private final Runnable giveUp;
    private volatile Scheduler.@Nullable Timer timer;

    Turn(Runnable task, Runnable giveUp) {
      this.task = task;
      this.giveUp = giveUp;
    }

    void start() {
      Scheduler.Timer armed = timer;
      if (armed != null) {
        armed.cancel();
      }
      task.run();
    }

    void awaitUntil(Deadline deadline, Scheduler scheduler, Supplier<Boolean> forget) {
      timer =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)),
              () -> {
                if (forget.get()) {
                  giveUp.run();
                }
              });
    }
  }
}
