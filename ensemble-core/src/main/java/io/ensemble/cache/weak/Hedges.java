package io.ensemble.cache.weak;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Second looks at operations, all after the same delay. One timer serves every operation: a timer
 * each would cost more than the hedge, which is hardly ever needed.
 */
final class Hedges {

  private record Look(long atNanos, Runnable task) {}

  private final Scheduler scheduler;
  private final long delayNanos;
  private final ConcurrentLinkedQueue<Look> looks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();

  Hedges(Scheduler scheduler, long delayNanos) {
    this.scheduler = scheduler;
    this.delayNanos = delayNanos;
  }

  /** Runs {@code task} once the delay has passed; it finds out whether there is still a need. */
  void add(Runnable task) {
    looks.add(new Look(scheduler.nanos() + delayNanos, task));
    arm();
  }

  private void arm() {
    while (!looks.isEmpty() && armed.compareAndSet(false, true)) {
      Look first = looks.peek();
      if (first != null) {
        scheduler.after(Math.max(0, first.atNanos() - scheduler.nanos()), this::tick);
        return;
      }
      armed.set(false);
    }
  }

  /** Only the armed timer comes here, so nobody else takes looks away. */
  private void tick() {
    long now = scheduler.nanos();
    for (Look look = looks.peek(); look != null && look.atNanos() - now <= 0; look = looks.peek()) {
      looks.poll();
      look.task().run();
    }
    armed.set(false);
    arm();
  }
}
