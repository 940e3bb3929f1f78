package io.ensemble.cache.weak;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after operations that sites have not answered yet: at each one after the same delay, and
 * again after every further one until it has ended. One timer serves every operation: a timer each
 * would cost more than the hedge, which is hardly ever needed. Closing ends whatever is left.
 */
final class Hedges implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Hedges.class);

  /** An operation that waits for sites. */
  interface Pending {

    /** The delay has passed, perhaps again: asks further sites. Whether it is still under way. */
    boolean lookAgain();

    /** Ends it with what is known, if it has not ended. Sends nothing from then on. */
    void close();
  }

  private record Look(long atNanos, Pending operation) {}

  private final Context context;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<Look> looks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile boolean closed;

  Hedges(Context context) {
    this.context = context;
    this.delayNanos = context.options().hedge().toNanos();
  }

  /** Looks at {@code operation} once the delay has passed. */
  void add(Pending operation) {
    looks.add(new Look(context.scheduler().nanos() + delayNanos, operation));
    if (closed) {
      endAll();
    } else {
      arm();
    }
  }

  private void arm() {
    while (!looks.isEmpty() && armed.compareAndSet(false, true)) {
      Look first = looks.peek();
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

  /** Only the armed timer comes here; the close may take looks away meanwhile. */
  private void tick() {
    long now = context.scheduler().nanos();
    for (Look look = looks.peek(); look != null && look.atNanos() - now <= 0; look = looks.peek()) {
      Look taken = looks.poll();
      if (taken != null && isUnderWay(taken.operation())) {
        add(taken.operation());
      }
    }
    armed.set(false);
    if (!closed) {
      arm();
    }
  }

  private static boolean isUnderWay(Pending operation) {
    try {
      return operation.lookAgain();
    } catch (RuntimeException | Error broken) {
      LOG.error("an operation could not be looked after; operation={}", operation, broken);
      return true; // The others need their looks as well, and this one its close.
    }
  }

  @Override
  public void close() {
    closed = true;
    endAll();
  }

  private void endAll() {
    for (Look look = looks.poll(); look != null; look = looks.poll()) {
      try {
        look.operation().close();
      } catch (RuntimeException | Error broken) {
        LOG.error("an operation could not be ended; operation={}", look.operation(), broken);
      }
    }
  }
}
