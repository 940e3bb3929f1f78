package io.ensemble.cache.quorum;

import io.ensemble.cache.CompletionCause;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Retries a request to a site a few times, if the request may be repeated and the site is silent or
 * overloaded.
 *
 * @param deadline after which the request is not retried
 */
public record SiteRetry(Scheduler scheduler, Deadline deadline) {

  private static final int MOST = 5;
  private static final long PAUSE_NANOS = 50_000_000;

  /** The result of {@code request}; fails as the last attempt did. */
  public <T> CompletionStage<T> of(Supplier<CompletionStage<T>> request) {
    return of(MOST, request);
  }

  private <T> CompletionStage<T> of(int tries, Supplier<CompletionStage<T>> request) {
    return request
        .get()
        .exceptionallyCompose(
            failure ->
                tries > 1 && isRetryable(failure) && !deadline.hasPassed(scheduler)
                    ? pause().thenCompose(waited -> of(tries - 1, request))
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletionStage<Void> pause() {
    CompletableFuture<Void> pauseEnd = new CompletableFuture<>();
    scheduler.after(PAUSE_NANOS, () -> pauseEnd.complete(null));
    return pauseEnd;
  }

  private static boolean isRetryable(Throwable failure) {
    return CompletionCause.of(failure) instanceof SiteException siteException
        && switch (siteException.reason()) {
          case UNREACHABLE, TIMED_OUT, BUSY, DEGRADED, FAILED -> true;
          case STORE_LOST, DELETED, NOT_ALLOWED, UNSUITABLE -> false;
        };
  }
}
