package io.ensemble.rest.resource.context;

import io.ensemble.rest.RestLimits;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.StreamingBody;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Streams listings to their clients. At most as many are open as a kind of work has threads, and
 * half as many of one caller. Thread-safe.
 */
public final class ListingStreams {

  private final BlockingTaskPool workers;
  private final RestLimits limits;
  private final ConcurrencyLimit concurrencyLimit;

  public ListingStreams(BlockingTaskPool workers, RestLimits limits) {
    this.workers = workers;
    this.limits = limits;
    this.concurrencyLimit =
        new ConcurrencyLimit("listings", Math.max(1, limits.workers() / 2), limits.workers());
  }

  /**
   * Begins a listing, and completes with a response that sends it.
   *
   * @param open opens the listing on a worker, and returns what its argument returns for it, which
   *     reads the first part; blocks
   * @throws io.ensemble.rest.http.ProblemException if too many listings are open
   */
  public CompletionStage<RestResponse> stream(
      AuthorizedRequest authorizedRequest,
      Function<Function<ListingParts, StreamingBody>, StreamingBody> open) {
    String caller = authorizedRequest.caller().name();
    concurrencyLimit.begin(caller);
    Function<ListingParts, StreamingBody> begin =
        parts ->
            StreamedListing.begin(
                parts, caller, workers, limits.slowest(), () -> concurrencyLimit.end(caller));
    CompletionStage<StreamingBody> begun;
    try {
      begun = workers.waitFor(authorizedRequest, () -> open.apply(begin));
    } catch (RuntimeException busy) {
      begun = CompletableFuture.failedFuture(busy);
    }
    return begun.handle(
        (listing, failure) -> {
          if (failure != null) {
            concurrencyLimit.end(caller);
            throw new CompletionException(failure);
          }
          return RestResponse.ofStream(200, "application/json", listing);
        });
  }
}
