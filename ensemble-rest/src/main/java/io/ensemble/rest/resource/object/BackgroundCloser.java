package io.ensemble.rest.resource.object;

import io.ensemble.rest.resource.context.BlockingTaskPool;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes things on a worker, one after the other, because closing waits for the calls in progress.
 * The caller, perhaps a thread of Ensemble's scheduler, never waits. If no worker is free, the
 * things are closed together with the next one. Thread-safe.
 */
final class BackgroundCloser {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCloser.class);

  /** The kind of the tasks that close things. */
  private static final String KIND = "closeObjects";

  private final BlockingTaskPool workers;

  // Both fields are guarded by this object's lock.
  private final Deque<AutoCloseable> pending = new ArrayDeque<>();
  private boolean isClosing;

  BackgroundCloser(BlockingTaskPool workers) {
    this.workers = workers;
  }

  /** The number of things that are not closed yet. The caller bounds it. */
  synchronized int pending() {
    return pending.size();
  }

  /** Closes {@code closeable} later. */
  void close(AutoCloseable closeable) {
    synchronized (this) {
      pending.add(closeable);
      if (isClosing) {
        return;
      }
      isClosing = true;
    }
    try {
      workers.run(KIND, this::closeAll);
    } catch (RejectedExecutionException busy) {
      synchronized (this) {
        isClosing = false;
      }
    }
  }

  /** Closes all things; waits for each. */
  private void closeAll() {
    AutoCloseable next = first();
    while (next != null) {
      try {
        next.close();
      } catch (Exception | Error e) {
        LOG.warn("an object could not be closed", e);
      }
      next = removeFirst();
    }
  }

  private synchronized @Nullable AutoCloseable first() {
    return pending.peekFirst();
  }

  /** Removes the first thing, which is closed; returns the next one, or ends the task. */
  private synchronized @Nullable AutoCloseable removeFirst() {
    pending.removeFirst();
    AutoCloseable next = pending.peekFirst();
    isClosing = next != null;
    return next;
  }
}
