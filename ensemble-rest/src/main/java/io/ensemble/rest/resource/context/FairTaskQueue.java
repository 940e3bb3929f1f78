package io.ensemble.rest.resource.context;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Decides which task of one kind runs next. Tasks of one user run on at most half of the threads,
 * so that slow tasks of one user leave threads for the tasks of others. Starts nothing itself.
 * Thread-safe.
 */
final class FairTaskQueue {

  private final String kind;
  private final int threads;
  private final int places;
  private final int maxRunningOfOne;

  // All fields below are guarded by this object's lock.
  private final Deque<Task> waitingTasks = new ArrayDeque<>();
  private final Map<String, Integer> runningByUser = new HashMap<>();
  private int running;

  /**
   * Work of a user.
   *
   * @param completion is run after the work, when the place of the task is free again
   */
  record Task(String user, Runnable work, Runnable completion) {}

  /**
   * @param kind for messages
   * @param threads the maximum number of running tasks
   * @param waiting the maximum number of waiting tasks
   */
  FairTaskQueue(String kind, int threads, int waiting) {
    this.kind = kind;
    this.threads = threads;
    this.places = threads + waiting;
    this.maxRunningOfOne = Math.max(1, threads / 2);
  }

  /**
   * Adds a task.
   *
   * @return whether the task is to be started now; otherwise {@link #finish} returns it later
   * @throws RejectedExecutionException if all places are taken
   */
  synchronized boolean add(Task task) {
    if (running + waitingTasks.size() >= places) {
      throw new RejectedExecutionException(
          "at most %d tasks of a kind run or wait; kind=%s".formatted(places, kind));
    }
    if (canRun(task)) {
      begin(task);
      return true;
    }
    waitingTasks.add(task);
    return false;
  }

  /** Ends a task; returns the task to be started in its place, or null. */
  synchronized @Nullable Task finish(Task ended) {
    running--;
    runningByUser.computeIfPresent(ended.user(), (user, count) -> count == 1 ? null : count - 1);
    for (Iterator<Task> iterator = waitingTasks.iterator(); iterator.hasNext(); ) {
      Task next = iterator.next();
      if (canRun(next)) {
        iterator.remove();
        begin(next);
        return next;
      }
    }
    return null;
  }

  private boolean canRun(Task task) {
    return running < threads && runningByUser.getOrDefault(task.user(), 0) < maxRunningOfOne;
  }

  private void begin(Task task) {
    running++;
    runningByUser.merge(task.user(), 1, Integer::sum);
  }
}
