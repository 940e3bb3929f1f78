package io.ensemble.migrate;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many keys a second may be copied. Another bound holds from the next turn on. Nobody saves
 * turns up: after a pause a copy goes on at its pace. After the end there are none. Thread-safe.
 */
final class CopyRateLimiter {

  /** The most keys of a turn, so many being under way at once. */
  static final int MOST = 64;

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Scheduler scheduler;

  private final AtomicBoolean ended;

  // Both belong to this object's lock.
  private long keysPerSecond;
  private long nextNanos;

  CopyRateLimiter(Scheduler scheduler) {
    this(scheduler, new AtomicBoolean());
  }

  private CopyRateLimiter(Scheduler scheduler, AtomicBoolean ended) {
    this.scheduler = scheduler;
    this.ended = ended;
    nextNanos = scheduler.nanos();
  }

  /** Another one, without a bound, that ends with this one. */
  CopyRateLimiter unbounded() {
    return new CopyRateLimiter(scheduler, ended);
  }

  /** There are no more turns. */
  void end() {
    ended.set(true);
  }

  /** At most so many keys a second; 0 for as many as can be. */
  synchronized void set(long rate) {
    keysPerSecond = rate;
  }

  /** How many keys the next turn may have, a quarter of a second's. */
  synchronized int most() {
    return keysPerSecond == 0 ? MOST : (int) Math.max(1, Math.min(MOST, keysPerSecond / 4));
  }

  /** Completes when a turn of so many keys may begin; fails after the end. */
  CompletionStage<Boolean> turn(int keys) {
    if (ended.get()) {
      return CompletableFuture.failedFuture(new CancellationException("the mover has ended"));
    }
    long wait;
    synchronized (this) {
      if (keysPerSecond == 0) {
        return CompletableFuture.completedFuture(true);
      }
      long now = scheduler.nanos();
      nextNanos = Math.max(nextNanos - now, 0) + now;
      wait = nextNanos - now;
      nextNanos += keys * SECOND / keysPerSecond;
    }
    if (wait == 0) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> begins = new CompletableFuture<>();
    scheduler.after(wait, () -> begins.complete(true));
    return begins;
  }
}
