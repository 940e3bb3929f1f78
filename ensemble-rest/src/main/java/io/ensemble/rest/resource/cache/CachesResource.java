package io.ensemble.rest.resource.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.operation.OperationId;
import io.ensemble.rest.resource.operation.OperationView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The existing caches: their present definitions, and their alterations. */
public final class CachesResource {

  private static final String TAG = "caches";

  private final RestContext federation;

  public CachesResource(RestContext federation) {
    this.federation = federation;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.GET,
                "/caches",
                Role.SEE,
                0,
                described("listCaches", "Lists the caches that the caller may see.")
                    .json(200, "The caches", "Caches"),
                authorizedRequest ->
                    federation
                        .workers()
                        .reply(authorizedRequest, () -> list(authorizedRequest.caller())))
            .ofEach(),
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}",
            Role.SEE,
            0,
            described(
                    "inspectCache",
                    "Returns the settings of a cache, its guarantee and its missing replicas.")
                .json(200, "The cache", "Cache"),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> inspect(authorizedRequest.path("cache")))),
        new RestRoute(
            HttpMethod.PATCH,
            "/caches/{cache}",
            Role.ADMIN,
            federation.limits().jsonBytes(),
            described(
                    "alterCache",
                    "Changes the sites, the mode or the parts of a cache while clients use it. "
                        + "Starts an operation, or joins an equal one.")
                .takes("application/json", "AlterRequest")
                .gives("Location", "The address of the operation.")
                .json(202, "The change has begun", "Operation")
                .json(200, "The cache has these settings already", "Cache")
                .fails(
                    ProblemType.CHANGE_IN_PROGRESS,
                    ProblemType.CONFLICT,
                    ProblemType.PLACEMENT_IMPOSSIBLE,
                    ProblemType.UNSUPPORTED_TYPE),
            this::alter),
        new RestRoute(
            HttpMethod.DELETE,
            "/caches/{cache}",
            Role.ADMIN,
            0,
            described(
                    "deleteCache",
                    "Deletes a cache with all its entries and shards, for all clients.")
                .empty(204, "The cache was deleted")
                .fails(ProblemType.CONFLICT),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> delete(authorizedRequest.path("cache")))));
  }

  private static RouteDescription described(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  private EnsembleCacheManager manager() {
    return federation.manager();
  }

  private RestResponse list(RestCaller caller) {
    List<Object> all = new ArrayList<>();
    for (String name : manager().getCacheNames()) {
      if (caller.may(Role.SEE, name)) {
        view(name).ifPresent(all::add);
      }
    }
    return RestResponse.json(200, Map.of("caches", all));
  }

  private Optional<Map<String, Object>> view(String name) {
    return manager()
        .stored(name)
        .map(CacheView::of)
        .or(() -> manager().distribution(name).map(CacheView::of));
  }

  private RestResponse inspect(String name) {
    return RestResponse.json(
        200,
        manager()
            .stored(name)
            .map(stored -> CacheView.of(stored, manager().knownRedundancy(stored)))
            .or(() -> manager().distribution(name).map(CacheView::of))
            .orElseThrow(() -> Problem.notFound("cache", name)));
  }

  private RestResponse delete(String name) {
    List<String> shards = manager().shards(name);
    federation.forget(name);
    shards.forEach(federation::forget);
    if (!manager().deleteCache(name)) {
      throw Problem.notFound("cache", name);
    }
    federation.deleted(name);
    shards.forEach(federation::deleted);
    return RestResponse.noContent();
  }

  private CompletionStage<RestResponse> alter(AuthorizedRequest authorizedRequest) {
    AlterCacheBody body =
        new AlterCacheBody(JsonFields.of(authorizedRequest, AlterCacheBody.FIELDS));
    String name = authorizedRequest.path("cache");
    return federation
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              Optional<StoredDefinition> stored = manager().stored(name);
              return stored.isPresent()
                  ? altered(stored.get(), body, authorizedRequest.caller())
                  : dealtOut(name, body, authorizedRequest.caller());
            });
  }

  private RestResponse altered(StoredDefinition stored, AlterCacheBody body, RestCaller caller) {
    CacheDefinition now = stored.definition();
    CacheDefinition to = body.of(now, copies -> best(now, copies));
    federation.checkKnown(to.siteNames(), now.siteNames(), caller);
    if (to.equals(now) && stored.change().isEmpty()) {
      return RestResponse.json(200, CacheView.of(stored));
    }
    IdempotentChange.change(() -> manager().changes().alter(to, body.rate()));
    StoredDefinition present =
        IdempotentChange.look(() -> manager().stored(now.name()).orElse(stored));
    if (present.change().isEmpty()) {
      return RestResponse.json(
          200, CacheView.of(present)); // The change ended before it could be read.
    }
    return RestResponse.json(202, OperationView.of(present))
        .with("Location", ResourceLinks.operation(OperationId.of(present).text()));
  }

  private List<String> best(CacheDefinition now, int copies) {
    PlacementPolicy wish =
        PlacementPolicy.copies(now.name(), copies)
            .prefer(now.siteNames().toArray(String[]::new))
            .build();
    return manager().place(wish).sites();
  }

  private RestResponse dealtOut(String name, AlterCacheBody body, RestCaller caller) {
    DistributedDefinition now =
        manager().distribution(name).orElseThrow(() -> Problem.notFound("cache", name));
    DistributedDefinition to = body.of(now);
    CacheCreationResource.checkParts(caller, to.parts());
    if (to.equals(now) && manager().parts().underWay(name).isEmpty()) {
      return RestResponse.json(200, CacheView.of(now));
    }
    IdempotentChange.change(() -> manager().parts().alter(to));
    return IdempotentChange.look(() -> manager().parts().underWay()).stream()
        .filter(stored -> stored.definition().name().equals(name))
        .findFirst()
        .map(
            growing ->
                RestResponse.json(202, OperationView.of(growing))
                    .with("Location", ResourceLinks.operation(OperationId.of(growing).text())))
        .orElseGet(() -> RestResponse.json(200, CacheView.of(to)));
  }
}
