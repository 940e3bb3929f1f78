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
 * Steps of a mover: one after the other, and what fails again and again, at intervals from a tenth
 * of a second to five, unless the cache is gone. For one mover, which takes one step at a time.
 */
final class RetryLoop {

  private static final Logger LOG = LoggerFactory.getLogger(RetryLoop.class);
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

  private final Scheduler scheduler;
  private final String cache;
  private long pauseNanos = FIRST_PAUSE; // Of the one step that is under way.

  RetryLoop(Scheduler scheduler, String cache) {
    this.scheduler = scheduler;
    this.cache = cache;
  }

  /**
   * Takes {@code step} again while it answers true. Fails with {@link CacheDeletedException}, and
   * when the scheduler has ended.
   */
  CompletionStage<Void> whileTrue(Supplier<CompletionStage<Boolean>> step) {
    return AsyncLoop.whileTrue(
        scheduler,
        () ->
            step.get()
                .handle(
                    (more, failure) -> {
                      if (failure == null) {
                        pauseNanos = FIRST_PAUSE;
                        return CompletableFuture.completedFuture(more);
                      }
                      return again(CompletionCause.of(failure));
                    })
                .thenCompose(stage -> stage));
  }

  private CompletableFuture<Boolean> again(Throwable failure) {
    if (failure instanceof CacheDeletedException) {
      return CompletableFuture.failedFuture(failure);
    }
    LOG.info("an errand is tried again; cache={} cause={}", cache, failure.toString());
    long now = pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE);
    return later(now);
  }

  /** True after so long. */
  CompletableFuture<Boolean> later(long nanos) {
    CompletableFuture<Boolean> woken = new CompletableFuture<>();
    scheduler.after(nanos, () -> woken.complete(true));
    return woken;
  }
}
