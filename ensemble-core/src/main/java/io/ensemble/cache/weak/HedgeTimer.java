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
  interface Pending {

    /** Whether the operation has been answered, and so needs no further call. */
    boolean isDone();

    /** Called after each delay: asks further sites. */
    void lookAgain();

    /**
     * Ends the operation with the responses so far, if it has not ended. From then on it sends
     * nothing.
     */
    void close();
  }

  private record Look(long atNanos, Pending operation) {}

  private final WeakContext context;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<Look> looks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();

  /** Held by a thread that removes looks, except by the close. */
  private final ReentrantLock taking = new ReentrantLock();

  private volatile boolean closed;

  HedgeTimer(WeakContext context) {
    this.context = context;
    this.delayNanos = context.options().hedge().toNanos();
  }

  /** Calls {@code operation} once the delay has passed. */
  void add(Pending operation) {
    looks.add(new Look(context.scheduler().nanos() + delayNanos, operation));
    if (closed) {
      endAll();
    } else {
      forgetSome();
      arm();
    }
  }

  /**
   * For each operation added, removes a few that have ended; otherwise the queue of ended
   * operations would become long.
   */
  private void forgetSome() {
    if (taking.tryLock()) {
      try {
        Look first = looks.peek();
        for (int i = 0; i < FORGOTTEN_AT_ONCE && first != null && first.operation().isDone(); i++) {
          take();
          first = looks.peek();
        }
      } finally {
        taking.unlock();
      }
    }
  }

  private void arm() {
    while (!looks.isEmpty() && !armed.get() && armed.compareAndSet(false, true)) {
      Look first = firstNeeded();
      if (first != null) {
        long delay = Math.max(0, first.atNanos() - context.scheduler().nanos());
        if (context.later(delay, this::tick) == null) {
          armed.set(false); // No more hedges; responses and the close end operations.
        }
        return;
      }
      armed.set(false);
    }
  }

  /**
   * Removes ended operations before the first pending one. So the timer fires once in a delay, not
   * once an operation.
   */
  private @Nullable Look firstNeeded() {
    taking.lock();
    try {
      Look first = looks.peek();
      while (first != null && first.operation().isDone()) {
        take();
        first = looks.peek();
      }
      return first;
    } finally {
      taking.unlock();
    }
  }

  /** Removes the first look; if it is not the expected one, the close has removed that one. */
  private @Nullable Pending take() {
    Look taken = looks.poll();
    if (taken != null && closed) {
      end(taken.operation());
    }
    return taken == null || closed ? null : taken.operation();
  }

  private void tick() {
    due().forEach(this::lookAt);
    armed.set(false);
    if (!closed) {
      arm();
    }
  }

  /** The operations that have waited for the delay. */
  private List<Pending> due() {
    List<Pending> due = new ArrayList<>();
    taking.lock();
    try {
      long now = context.scheduler().nanos();
      for (Look look = firstNeeded();
          look != null && look.atNanos() - now <= 0;
          look = firstNeeded()) {
        Pending operation = take();
        if (operation != null) {
          due.add(operation);
        }
      }
    } finally {
      taking.unlock();
    }
    return due;
  }

  private void lookAt(Pending operation) {
    try {
      operation.lookAgain();
    } catch (RuntimeException | Error broken) { // The other operations must still be called.
      LOG.error("the hedge timer of an operation failed; operation={}", operation, broken);
    }
    if (!operation.isDone()) {
      add(operation);
    }
  }

  @Override
  public void close() {
    closed = true;
    endAll();
  }

  private void endAll() {
    for (Look look = looks.poll(); look != null; look = looks.poll()) {
      end(look.operation());
    }
  }

  private static void end(Pending operation) {
    try {
      operation.close();
    } catch (RuntimeException | Error broken) {
      LOG.error("an operation could not be closed; operation={}", operation, broken);
    }
  }
}
