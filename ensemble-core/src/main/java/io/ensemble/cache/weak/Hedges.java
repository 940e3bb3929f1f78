package io.ensemble.cache.weak;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Second looks at operations, all after the same delay. One timer serves every operation: a timer
 * each would cost more than the hedge, which is hardly ever needed.
 */
final class Hedges {

  private record Look(CompletableFuture<?> operation, long atNanos, Runnable task) {}

  private final Scheduler scheduler;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<Look> looks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();

  Hedges(Scheduler scheduler, long delayNanos) {
    this.scheduler = scheduler;
    this.delayNanos = delayNanos;
  }

  /** Runs {@code task} once the delay has passed, unless {@code operation} is done by then. */
  void add(CompletableFuture<?> operation, Runnable task) {
    looks.add(new Look(operation, scheduler.nanos() + delayNanos, task));
    arm();
  }

  private void arm() {
    while (!looks.isEmpty() && armed.compareAndSet(false, true)) {
      Look first = firstNeeded();
      if (first != null) {
        scheduler.after(Math.max(0, first.atNanos() - scheduler.nanos()), this::tick);
        return;
      }
      armed.set(false);
    }
  }

  /**
   * Forgets those before it that nobody needs any more, so that the timer fires once in a delay's
   * length and not once an operation. Only who has armed the timer takes looks away.
   */
  private @Nullable Look firstNeeded() {
    Look first = looks.peek();
    while (first != null && first.operation().isDone()) {
      looks.poll();
      first = looks.peek();
    }
    return first;
  }

  private void tick() {
    long now = scheduler.nanos();
    for (Look look = firstNeeded();
        look != null && look.atNanos() - now <= 0;
        look = firstNeeded()) {
      looks.poll();
      look.task().run();
    }
    armed.set(false);
    arm();
  }
}
