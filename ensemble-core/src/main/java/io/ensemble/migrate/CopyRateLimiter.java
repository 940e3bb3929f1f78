package io.ensemble.migrate;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many keys a second may be copied. A new limit applies from the next turn on. Unused turns do
 * not accumulate: after a pause a copy continues at its rate. After the end there are no turns.
 * Thread-safe.
 */
final class CopyRateLimiter {

  /** The maximum number of keys of a turn, which are in progress concurrently. */
  static final int MOST = 64;

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Scheduler scheduler;

  private final AtomicBoolean isEnded;

  // Both are guarded by this object's lock.
  private long keysPerSecond;
  private long nextNanos;

  CopyRateLimiter(Scheduler scheduler) {
    this(scheduler, new AtomicBoolean());
  }

  private CopyRateLimiter(Scheduler scheduler, AtomicBoolean isEnded) {
    this.scheduler = scheduler;
    this.isEnded = isEnded;
    nextNanos = scheduler.nanos();
  }

  /** Another limiter, without a limit, that ends with this one. */
  CopyRateLimiter withoutLimit() {
    return new CopyRateLimiter(scheduler, isEnded);
  }

  /** There are no more turns. */
  void end() {
    isEnded.set(true);
  }

  /** Limits the keys a second; 0 for no limit. */
  synchronized void set(long rate) {
    keysPerSecond = rate;
  }

  /** The number of keys for the next turn: a quarter of those of a second. */
  synchronized int maxBatch() {
    return keysPerSecond == 0 ? MOST : (int) Math.max(1, Math.min(MOST, keysPerSecond / 4));
  }

  /** Completes when a turn of {@code keys} keys may begin; fails after the end. */
  CompletionStage<Boolean> acquire(int keys) {
    if (isEnded.get()) {
      return CompletableFuture.failedFuture(new CancellationException("the mover has ended"));
    }
    long waitNanos;
    synchronized (this) {
      if (keysPerSecond == 0) {
        return CompletableFuture.completedFuture(true);
      }
      long now = scheduler.nanos();
      nextNanos = Math.max(nextNanos - now, 0) + now;
      waitNanos = nextNanos - now;
      nextNanos += keys * SECOND / keysPerSecond;
    }
    if (waitNanos == 0) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> permit = new CompletableFuture<>();
    scheduler.after(waitNanos, () -> permit.complete(true));
    return permit;
  }
}
