package io.ensemble.cache.weak;

import io.ensemble.cache.weak.replica.WeakContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls operations that sites have not answered yet: each operation after the same delay, and again
 * after every further delay until it has ended. A single timer serves all operations, because a
 * timer for each would cost more than the hedge, which is rarely needed. Closing ends the remaining
 * operations.
 */
final class HedgeTimer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HedgeTimer.class);

  private static final int FORGOTTEN_AT_ONCE = 4;

  /** An operation that waits for sites. */
  interface HedgedOperation {

    /** Whether the operation has been answered, and so needs no further call. */
    boolean isDone();

    /** Called after each delay: asks further sites. */
    void sendHedge();

    /**
     * Ends the operation with the responses so far, if it has not ended. From then on it sends
     * nothing.
     */
    void close();
  }

  private record ScheduledHedge(long atNanos, HedgedOperation operation) {}

  private final WeakContext context;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<ScheduledHedge> pendingLooks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isArmed = new AtomicBoolean();

  /** Held by a thread that removes looks, except by the close. */
  private final ReentrantLock takeLock = new ReentrantLock();

  private volatile boolean closed;

  HedgeTimer(WeakContext context) {
    this.context = context;
    this.delayNanos = context.options().hedge().toNanos();
  }

  /** Calls {@code operation} once the delay has passed. */
  void add(HedgedOperation operation) {
    pendingLooks.add(new ScheduledHedge(context.scheduler().nanos() + delayNanos, operation));
    if (closed) {
      closeAll();
    } else {
      removeDone();
      armTimer();
    }
  }

  /**
   * For each operation added, removes a few that have ended; otherwise the queue of ended
   * operations would become long.
   */
  private void removeDone() {
    if (takeLock.tryLock()) {
      try {
        ScheduledHedge first = pendingLooks.peek();
        for (int i = 0; i < FORGOTTEN_AT_ONCE && first != null && first.operation().isDone(); i++) {
          take();
          first = pendingLooks.peek();
        }
      } finally {
        takeLock.unlock();
      }
    }
  }

  private void armTimer() {
    while (!pendingLooks.isEmpty() && !isArmed.get() && isArmed.compareAndSet(false, true)) {
      ScheduledHedge first = peekPending();
      if (first != null) {
        long delay = Math.max(0, first.atNanos() - context.scheduler().nanos());
        if (context.later(delay, this::runDue) == null) {
          isArmed.set(false); // No more hedges; responses and the close end operations.
        }
        return;
      }
      isArmed.set(false);
    }
  }

  /**
   * Removes ended operations before the first pending one. So the timer fires once in a delay, not
   * once an operation.
   */
  private @Nullable ScheduledHedge peekPending() {
    takeLock.lock();
    try {
      ScheduledHedge first = pendingLooks.peek();
      while (first != null && first.operation().isDone()) {
        take();
        first = pendingLooks.peek();
      }
      return first;
    } finally {
      takeLock.unlock();
    }
  }

  /** Removes the first look; if it is not the expected one, the close has removed that one. */
  private @Nullable HedgedOperation take() {
    ScheduledHedge look = pendingLooks.poll();
    if (look != null && closed) {
      closeOperation(look.operation());
    }
    return look == null || closed ? null : look.operation();
  }

  private void runDue() {
    takeDue().forEach(this::runHedge);
    isArmed.set(false);
    if (!closed) {
      armTimer();
    }
  }

  /** The operations that have waited for the delay. */
  private List<HedgedOperation> takeDue() {
    List<HedgedOperation> due = new ArrayList<>();
    takeLock.lock();
    try {
      long now = context.scheduler().nanos();
      for (ScheduledHedge look = peekPending();
          look != null && look.atNanos() - now <= 0;
          look = peekPending()) {
        HedgedOperation operation = take();
        if (operation != null) {
          due.add(operation);
        }
      }
    } finally {
      takeLock.unlock();
    }
    return due;
  }

  private void runHedge(HedgedOperation operation) {
    try {
      operation.sendHedge();
    } catch (RuntimeException | Error exception) { // The other operations must still be called.
      LOG.error("the hedge timer of an operation failed; operation={}", operation, exception);
    }
    if (!operation.isDone()) {
      add(operation);
    }
  }

  @Override
  public void close() {
    closed = true;
    closeAll();
  }

  private void closeAll() {
    for (ScheduledHedge look = pendingLooks.poll(); look != null; look = pendingLooks.poll()) {
      closeOperation(look.operation());
    }
  }

  private static void closeOperation(HedgedOperation operation) {
    try {
      operation.close();
    } catch (RuntimeException | Error exception) {
      LOG.error("an operation could not be closed; operation={}", operation, exception);
    }
  }
}
