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
 * Looks after operations that sites have not answered yet: at each one after the same delay, and
 * again after every further one until it has ended. One timer serves every operation: a timer each
 * would cost more than the hedge, which is hardly ever needed. Closing ends whatever is left.
 */
final class HedgeTimer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HedgeTimer.class);

  private static final int FORGOTTEN_AT_ONCE = 4;

  /** An operation that waits for sites. */
  interface Pending {

    /** Whether it has been answered, so that it needs no further look. */
    boolean isDone();

    /** The delay has passed, perhaps again: asks further sites. */
    void lookAgain();

    /** Ends it with what is known, if it has not ended. Sends nothing from then on. */
    void close();
  }

  private record Look(long atNanos, Pending operation) {}

  private final WeakContext context;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<Look> looks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();

  /** Held by who takes looks away, but for the close. */
  private final ReentrantLock taking = new ReentrantLock();

  private volatile boolean closed;

  HedgeTimer(WeakContext context) {
    this.context = context;
    this.delayNanos = context.options().hedge().toNanos();
  }

  /** Looks at {@code operation} once the delay has passed. */
  void add(Pending operation) {
    looks.add(new Look(context.scheduler().nanos() + delayNanos, operation));
    if (closed) {
      endAll();
    } else {
      forgetSome();
      arm();
    }
  }

  /** As many as come, and a few more: what has long been done would be slow to walk over. */
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
          armed.set(false); // Nobody hedges any more; answers and the close still end operations.
        }
        return;
      }
      armed.set(false);
    }
  }

  /**
   * Forgets those before it that nobody needs any more, so that the timer fires once in a delay's
   * length and not once an operation.
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

  /** The first look; if it is another than expected, the close has taken that one. */
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

  /** Those whose delay has passed. */
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
    } catch (RuntimeException | Error broken) { // The others need their looks as well.
      LOG.error("an operation could not be looked after; operation={}", operation, broken);
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
      LOG.error("an operation could not be ended; operation={}", operation, broken);
    }
  }
}
