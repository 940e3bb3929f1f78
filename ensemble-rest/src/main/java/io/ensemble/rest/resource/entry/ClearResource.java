package io.ensemble.rest.resource.entry;

import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.operation.OperationId;
import io.ensemble.rest.resource.operation.ServiceOperation;
import io.ensemble.rest.resource.operation.ServiceOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.infinispan.commons.util.CloseableIterator;

/** Removes all entries of a cache, as an operation: a large cache takes long. */
public final class ClearResource {

  private static final int AT_ONCE = 64;

  private final RestContext context;
  private final ServiceOperations operations;

  public ClearResource(RestContext context, ServiceOperations operations) {
    this.context = context;
    this.operations = operations;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.DELETE,
            "/caches/{cache}/entries",
            Role.WRITE,
            0,
            RouteDescription.of(
                    "clearEntries",
                    "entries",
                    "Removes the entries that an iteration over the cache finds; not atomic. "
                        + "Keeps counters, locks and versions. May be repeated.")
                .gives("Location", "The address of the operation.")
                .json(202, "The operation; 'removed' counts the entries", "Operation")
                .fails(ProblemType.CONFLICT),
            this::clear));
  }

  private CompletionStage<RestResponse> clear(AuthorizedRequest authorizedRequest) {
    String cache = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              String birth = findBirth(cache);
              return context.callCacheBlocking(
                  cache, // A cache that cannot be opened is reported now.
                  open ->
                      operations.begin(
                          OperationId.clear(cache),
                          Map.of("birth", birth),
                          operation -> removeAll(cache, birth, operation)));
            });
  }

  /** Identifies the present cache of that name: one that is created again has another birth. */
  private String findBirth(String name) {
    return context
        .manager()
        .stored(name)
        .map(StoredDefinition::birth)
        .or(() -> context.manager().parts().find(name).map(StoredDistribution::birth))
        .orElseThrow(() -> Problem.notFound("cache", name));
  }

  private void removeAll(String name, String birth, ServiceOperation operation) {
    AtomicLong removed = new AtomicLong();
    operation.setProgress("removed", 0L);
    context.callCacheBlocking(
        name,
        cache -> { // Called once more, with the present cache, if this one was deleted.
          if (!findBirth(name).equals(birth)) {
            throw Problem.notFound("cache", name);
          }
          try (CloseableIterator<Object> keys = cache.keySet().iterator()) {
            while (keys.hasNext()) {
              operation.setProgress("removed", removed.addAndGet(removeBatch(cache, keys)));
            }
            return removed;
          }
        });
  }

  /** Removes the next entries concurrently; returns their number. */
  private static int removeBatch(
      EnsembleCache<Object, Object> cache, CloseableIterator<Object> keys) {
    List<CompletableFuture<WriteOutcome<Object>>> removals = new ArrayList<>();
    for (int visited = 0; visited < AT_ONCE && keys.hasNext(); visited++) {
      Object key = keys.next();
      if (!(key instanceof String text) || !ReservedKeys.isReserved(cache, text)) {
        removals.add(cache.async().remove(key).toCompletableFuture());
      }
    }
    CompletableFuture.allOf(removals.toArray(CompletableFuture[]::new)).join();
    removals.forEach(removal -> WriteResponses.of(removal.join(), RestResponse.noContent(), true));
    return removals.size();
  }
}
