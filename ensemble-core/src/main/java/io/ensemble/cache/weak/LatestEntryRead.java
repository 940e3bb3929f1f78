package io.ensemble.cache.weak;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads a key at every site of a WEAK cache, one request to each, for the last write that any of
 * them holds. Fails with {@link QuorumUnavailableException} if no site that answers holds a write
 * and another one does not answer: that one may hold it.
 */
record LatestEntryRead(EngineContext cache, UnaryOperator<Bytes> maskClearValues) {

  /** The response of one site. */
  private record Response(Optional<Envelope> entry, @Nullable Throwable failure) {}

  /** The entry with the last write, a removal included; empty if no site has one. */
  CompletionStage<Optional<Envelope>> run(Bytes key, Deadline deadline) {
    CompletionStage<List<Response>> all = CompletableFuture.completedFuture(List.of());
    for (StoreHandle handle : cache.stores()) {
      CompletionStage<Response> one =
          handle
              .store(deadline)
              .thenCompose(store -> store.read(key, deadline))
              .handle(
                  (found, failure) ->
                      failure == null
                          ? new Response(found.flatMap(stored -> decoded(stored.value())), null)
                          : new Response(Optional.empty(), CompletionCause.of(failure)));
      all =
          all.thenCombine(
              one,
              (former, response) -> {
                List<Response> more = new ArrayList<>(former);
                more.add(response);
                return more;
              });
    }
    return all.thenApply(this::latest);
  }

  /** A malformed entry counts as older than every write. */
  private Optional<Envelope> decoded(Bytes stored) {
    try {
      return Optional.of(WeakEntries.decode(maskClearValues.apply(stored)));
    } catch (MalformedEnvelopeException malformed) {
      return Optional.empty();
    }
  }

  private Optional<Envelope> latest(List<Response> all) {
    Optional<Envelope> last =
        all.stream()
            .flatMap(response -> response.entry().stream())
            .max(Comparator.comparing(Envelope::stamp));
    if (last.isEmpty() && all.stream().anyMatch(response -> response.failure() != null)) {
      throw unavailable(all);
    }
    return last;
  }

  private QuorumUnavailableException unavailable(List<Response> all) {
    SiteResponses responses = new SiteResponses(cache.definition().sites());
    for (int site = 0; site < all.size(); site++) {
      Throwable failure = all.get(site).failure();
      if (failure == null) {
        responses.heard(site);
      } else {
        responses.silent(site, failure);
      }
    }
    return new QuorumUnavailableException(cache.definition().name(), responses.shortfall());
  }
}
