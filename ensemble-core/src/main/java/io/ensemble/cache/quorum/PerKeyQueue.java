package io.ensemble.cache.quorum;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writers of one key take turns. So a process does not contend with itself, and the register needs
 * to remember only one proposal of each writer. A queue is bounded. A turn that has not come by the
 * deadline is abandoned, and so are all waiting turns at the close. Thread-safe.
 */
public final class PerKeyQueue implements AutoCloseable {

  /** How many writers may wait for one key. */
  public static final int LIMIT = 1024;

  private final Scheduler scheduler;
  private final Map<Bytes, Deque<QueuedTask<?>>> queues = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public PerKeyQueue(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Runs {@code task} when its turn has come.
   *
   * @param onAbandon the answer when the turn does not come, given the reason; nothing was done
   */
  public <T> CompletionStage<T> take(
      Bytes key,
      Deadline deadline,
      Supplier<CompletionStage<T>> task,
      Function<String, T> onAbandon) {
    QueuedTask<T> queuedTask = new QueuedTask<>(key, task, onAbandon);
    boolean[] outcome = new boolean[2];
    queues.compute(
        key,
        (same, queue) -> {
          Deque<QueuedTask<?>> keyQueue = queue == null ? new ArrayDeque<>(2) : queue;
          outcome[0] = keyQueue.isEmpty();
          outcome[1] = keyQueue.size() > LIMIT;
          if (!outcome[1]) {
            keyQueue.add(queuedTask);
          }
          return keyQueue;
        });
    if (outcome[1]) {
      queuedTask.abandon("%d writers are waiting for the key".formatted(LIMIT));
    } else if (outcome[0]) {
      queuedTask.start();
    } else {
      queuedTask.awaitUntil(deadline);
    }
    return queuedTask.answer;
  }

  /** Ends a turn; the next turn begins on the scheduler. */
  private void startNext(Bytes key) {
    QueuedTask<?>[] next = new QueuedTask<?>[1];
    queues.computeIfPresent(
        key,
        (same, keyQueue) -> {
          keyQueue.remove();
          next[0] = keyQueue.peek();
          return keyQueue.isEmpty() ? null : keyQueue;
        });
    if (next[0] != null) {
      next[0].startSoon();
    }
  }

  private boolean removeWaiting(QueuedTask<?> queuedTask) {
    boolean[] removed = new boolean[1];
    queues.computeIfPresent(
        queuedTask.key,
        (same, keyQueue) -> {
          removed[0] = keyQueue.peek() != queuedTask && keyQueue.remove(queuedTask);
          return keyQueue;
        });
    return removed[0];
  }

  /** How many keys have a writer. */
  public int size() {
    return queues.size();
  }

  /** Abandons the waiting turns; turns that have begun continue. */
  @Override
  public void close() {
    closed = true;
    List<QueuedTask<?>> waitingTasks = new ArrayList<>();
    for (Bytes key : queues.keySet()) {
      queues.computeIfPresent(
          key,
          (same, keyQueue) -> {
            waitingTasks.addAll(keyQueue);
            waitingTasks.remove(keyQueue.peek());
            return keyQueue;
          });
    }
    for (QueuedTask<?> queuedTask : waitingTasks) {
      queuedTask.expire();
    }
  }

  /** A writer's place in the queue of a key. */
  private final class QueuedTask<T> {

    private final Bytes key;
    private final Supplier<CompletionStage<T>> task;
    private final Function<String, T> onAbandon;
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    // Both fields are guarded by this object's lock.
    private boolean started;
    private Scheduler.@Nullable Timer timer;

    QueuedTask(Bytes key, Supplier<CompletionStage<T>> task, Function<String, T> onAbandon) {
      this.key = key;
      this.task = task;
      this.onAbandon = onAbandon;
    }

    void abandon(String reason) {
      answer.complete(onAbandon.apply(reason));
    }

    void start() {
      synchronized (this) {
        started = true;
        if (timer != null) {
          timer.cancel();
        }
      }
      run().whenComplete(this::complete);
    }

    private CompletionStage<T> run() {
      try {
        return closed
            ? CompletableFuture.completedFuture(
                onAbandon.apply("the cache was closed by this process"))
            : task.get();
      } catch (RuntimeException | Error thrown) {
        return CompletableFuture.failedFuture(thrown);
      }
    }

    private void complete(@Nullable T result, @Nullable Throwable failure) {
      startNext(key);
      if (failure == null) {
        answer.complete(result);
      } else {
        answer.completeExceptionally(failure);
      }
    }

    /** Not immediately: a thousand turns that end immediately would nest. */
    void startSoon() {
      try {
        scheduler.execute(this::start);
      } catch (RuntimeException rejection) {
        complete(onAbandon.apply("the cache was closed by this process"), null);
      }
    }

    synchronized void awaitUntil(Deadline deadline) {
      if (started) {
        return;
      }
      try {
        timer = scheduler.after(Math.max(0, deadline.remainingNanos(scheduler)), this::expire);
      } catch (RejectedExecutionException rejection) {
        // The turn before ends, or the queue is closed; either way this turn is abandoned.
      }
    }

    void expire() {
      if (removeWaiting(this)) {
        synchronized (this) {
          if (timer != null) {
            timer.cancel();
          }
        }
        abandon("the write waited for other writers of the key until its deadline");
      }
    }
  }
}
