package io.ensemble.catalog;

import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries a step of a recovery while the site may be starting: its nodes answer late or report that
 * they are starting, and find each other one by one. Errors that may be permanent (connection
 * refused, too few nodes) are retried for {@link #DOUBTFUL} without interruption, other errors
 * until the deadline. If the step can be taken at another node, silence of any kind is retried only
 * for {@link #DOUBTFUL}. Used by one thread at a time.
 */
final class RecoveryRetryPolicy {

  /** How long a site may appear to be down or unsuitable. */
  static final Duration DOUBTFUL = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(RecoveryRetryPolicy.class);
  private static final long PAUSE_NANOS = 200_000_000;

  private final String site;
  private final Scheduler scheduler;
  private final Deadline deadline;
  private @Nullable Long doubtfulSinceNanos;
  private boolean told;

  RecoveryRetryPolicy(String site, Scheduler scheduler, Deadline deadline) {
    this.site = site;
    this.scheduler = scheduler;
    this.deadline = deadline;
  }

  /** Runs {@code step} until it succeeds; fails with its last failure. */
  <T> CompletionStage<T> with(Supplier<CompletionStage<T>> step) {
    return with(step, () -> false);
  }

  /**
   * As the other method.
   *
   * @param hasOtherNode whether the caller can take the step at another node if this fails
   */
  <T> CompletionStage<T> with(Supplier<CompletionStage<T>> step, BooleanSupplier hasOtherNode) {
    CompletableFuture<T> end = new CompletableFuture<>();
    AsyncLoop.whileTrue(
            scheduler,
            () ->
                step.get()
                    .handle(
                        (done, failure) -> {
                          if (failure == null) {
                            answered();
                            end.complete(done);
                            return CompletableFuture.completedFuture(false);
                          }
                          Throwable why = CompletionCause.of(failure);
                          if (!mayPass(why, hasOtherNode)) {
                            end.completeExceptionally(why);
                            return CompletableFuture.completedFuture(false);
                          }
                          return pause();
                        })
                    .thenCompose(again -> again))
        .exceptionally(
            failure -> {
              end.completeExceptionally(CompletionCause.of(failure));
              return null;
            });
    return end;
  }

  private boolean mayPass(Throwable failure, BooleanSupplier hasOtherNode) {
    if (!(failure instanceof SiteException why)
        || !why.site().equals(site)
        || deadline.remainingNanos(scheduler) <= PAUSE_NANOS) {
      return false;
    }
    boolean passes =
        switch (why.reason()) {
          case BUSY -> hasAnswered();
          case TIMED_OUT -> hasOtherNode.getAsBoolean() ? isStillDoubtful() : hasAnswered();
          case UNREACHABLE ->
              why.isNotSent() || hasOtherNode.getAsBoolean() ? isStillDoubtful() : hasAnswered();
          case UNSUITABLE, FAILED -> isStillDoubtful();
          case STORE_LOST, DELETED, DEGRADED, NOT_ALLOWED -> false;
        };
    if (passes && !told) {
      told = true;
      log.info("a site is not ready for recovery, retrying; site={}", site, why);
    }
    return passes;
  }

  private boolean hasAnswered() {
    answered();
    return true;
  }

  /** Records an answer of the site; the time of doubt begins again with its next silence. */
  void answered() {
    doubtfulSinceNanos = null;
  }

  private boolean isStillDoubtful() {
    Long since = doubtfulSinceNanos;
    if (since == null) {
      doubtfulSinceNanos = scheduler.nanos();
      return true;
    }
    return scheduler.nanos() - since < DOUBTFUL.toNanos();
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    scheduler.after(PAUSE_NANOS, () -> over.complete(true));
    return over;
  }
}
