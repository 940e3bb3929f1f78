package io.ensemble.cache.weak;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
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

    /** Whether it has been answered, so that it needs no further look. */
    boolean isDone();

    /** The delay has passed, perhaps again: asks further sites. */
    void lookAgain();

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
    Look first = looks.peek();
    while (first != null && first.operation().isDone()) {
      take();
      first = looks.peek();
    }
    return first;
  }

  /** The first look; if it is another than expected, the close has taken that one. */
  private @Nullable Pending take() {
    Look taken = looks.poll();
    if (taken != null && closed) {
      end(taken.operation());
    }
    return taken == null || closed ? null : taken.operation();
  }

  /** Only who has armed the timer takes looks away, and the close. */
  private void tick() {
    long now = context.scheduler().nanos();
    for (Look look = firstNeeded();
        look != null && look.atNanos() - now <= 0;
        look = firstNeeded()) {
      Pending operation = take();
      if (operation != null) {
        lookAt(operation);
      }
    }
    armed.set(false);
    if (!closed) {
      arm();
    }
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
