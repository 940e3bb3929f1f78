package io.ensemble.cache.quorum;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Limits the rate of a scan over keys. Batches must not overlap. */
public final class KeyRateLimiter {

  private static final long SECOND_NANOS = 1_000_000_000;

  private final Scheduler scheduler;
  private final int perSecond;
  private long paidUntil;

  /**
   * @param perSecond the highest number of keys in a second
   */
  public KeyRateLimiter(Scheduler scheduler, int perSecond) {
    this.scheduler = scheduler;
    this.perSecond = perSecond;
    this.paidUntil = scheduler.nanos();
  }

  /** Completes when the rate permits {@code keys} further keys. */
  public CompletionStage<Void> after(int keys) {
    long now = scheduler.nanos();
    paidUntil = Math.max(now, paidUntil) + keys * SECOND_NANOS / perSecond;
    CompletableFuture<Void> delay = new CompletableFuture<>();
    scheduler.after(paidUntil - now, () -> delay.complete(null));
    return delay;
  }
}
