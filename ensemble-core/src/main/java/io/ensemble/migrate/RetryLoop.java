package io.ensemble.migrate;

import io.ensemble.CacheDeletedException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a mover, one after the other. A failed step is retried, at intervals from 0.1 s to 5
 * s, unless the cache no longer exists. For one mover, which takes one step at a time.
 */
final class RetryLoop {

  private static final Logger LOG = LoggerFactory.getLogger(RetryLoop.class);
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

  private final Scheduler scheduler;
  private final String cache;
  private long pauseNanos = FIRST_PAUSE; // Belongs to the one step in progress.

  RetryLoop(Scheduler scheduler, String cache) {
    this.scheduler = scheduler;
    this.cache = cache;
  }

  /**
   * Repeats {@code step} while its result is true. Fails with {@link CacheDeletedException}, and
   * when the scheduler has ended.
   */
  CompletionStage<Void> whileTrue(Supplier<CompletionStage<Boolean>> step) {
    return AsyncLoop.whileTrue(
        scheduler,
        () ->
            step.get()
                .handle(
                    (shouldContinue, failure) -> {
                      if (failure == null) {
                        pauseNanos = FIRST_PAUSE;
                        return CompletableFuture.completedFuture(shouldContinue);
                      }
                      return retry(CompletionCause.of(failure));
                    })
                .thenCompose(stage -> stage));
  }

  private CompletableFuture<Boolean> retry(Throwable failure) {
    if (failure instanceof CacheDeletedException) {
      return CompletableFuture.failedFuture(failure);
    }
    LOG.info("retrying a mover action; cache={} cause={}", cache, failure.toString());
    long delayNanos = pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE);
    return continueAfter(delayNanos);
  }

  /** Completes with true after {@code nanos}. */
  CompletableFuture<Boolean> continueAfter(long nanos) {
    CompletableFuture<Boolean> delay = new CompletableFuture<>();
    scheduler.after(nanos, () -> delay.complete(true));
    return delay;
  }
}
