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
import io.ensemble.rest.http.SettingsChange;
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

  private final RestContext context;

  public CachesResource(RestContext context) {
    this.context = context;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.GET,
                "/caches",
                Role.SEE,
                0,
                describe("listCaches", "Lists the caches that the caller may see.")
                    .json(200, "The caches", "Caches"),
                authorizedRequest ->
                    context
                        .workers()
                        .reply(authorizedRequest, () -> list(authorizedRequest.caller())))
            .withScopeEach(),
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}",
            Role.SEE,
            0,
            describe(
                    "inspectCache",
                    "Returns the settings of a cache, its guarantee and its missing replicas.")
                .json(200, "The cache", "Cache"),
            authorizedRequest ->
                context
                    .workers()
                    .reply(authorizedRequest, () -> inspect(authorizedRequest.path("cache")))),
        new RestRoute(
            HttpMethod.PATCH,
            "/caches/{cache}",
            Role.ADMIN,
            context.limits().jsonBytes(),
            describe(
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
            describe(
                    "deleteCache",
                    "Deletes a cache with all its entries and shards, for all clients.")
                .empty(204, "The cache was deleted")
                .fails(ProblemType.CONFLICT),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () ->
                            delete(authorizedRequest.path("cache"), authorizedRequest.caller()))));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  private EnsembleCacheManager manager() {
    return context.manager();
  }

  private RestResponse list(RestCaller caller) {
    List<Object> caches = new ArrayList<>();
    for (String name : manager().getCacheNames()) {
      if (caller.hasRole(Role.SEE, name)) {
        findView(name).ifPresent(caches::add);
      }
    }
    return RestResponse.json(200, Map.of("caches", caches));
  }

  private Optional<Map<String, Object>> findView(String name) {
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

  private RestResponse delete(String name, RestCaller caller) {
    manager()
        .stored(name)
        .map(stored -> CacheView.settings(stored.definition()))
        .or(() -> manager().distribution(name).map(CacheView::settings))
        .ifPresent(
            settings -> caller.changeRecorder().accept(SettingsChange.between(settings, Map.of())));
    List<String> shards = manager().shards(name);
    context.dropOpenCache(name);
    shards.forEach(context::dropOpenCache);
    if (!manager().deleteCache(name)) {
      throw Problem.notFound("cache", name);
    }
    context.handleDeletion(name);
    shards.forEach(context::handleDeletion);
    return RestResponse.noContent();
  }

  private CompletionStage<RestResponse> alter(AuthorizedRequest authorizedRequest) {
    AlterCacheBody body =
        new AlterCacheBody(JsonFields.of(authorizedRequest, AlterCacheBody.FIELDS));
    String name = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              Optional<StoredDefinition> stored = manager().stored(name);
              return stored.isPresent()
                  ? alterReplicated(stored.get(), body, authorizedRequest.caller())
                  : alterDistributed(name, body, authorizedRequest.caller());
            });
  }

  private RestResponse alterReplicated(
      StoredDefinition stored, AlterCacheBody body, RestCaller caller) {
    CacheDefinition current = stored.definition();
    CacheDefinition altered = body.applyTo(current, copies -> chooseBestSites(current, copies));
    context.requireKnownSites(altered.siteNames(), current.siteNames(), caller);
    if (altered.equals(current) && stored.change().isEmpty()) {
      return RestResponse.json(200, CacheView.of(stored));
    }
    caller
        .changeRecorder()
        .accept(SettingsChange.between(CacheView.settings(current), CacheView.settings(altered)));
    IdempotentChange.change(() -> manager().changes().alter(altered, body.keysPerSecond()));
    StoredDefinition updated =
        IdempotentChange.readState(() -> manager().stored(current.name()).orElse(stored));
    if (updated.change().isEmpty()) {
      return RestResponse.json(
          200, CacheView.of(updated)); // The change ended before it could be read.
    }
    return RestResponse.json(202, OperationView.of(updated))
        .with("Location", ResourceLinks.operation(OperationId.of(updated).text()));
  }

  private List<String> chooseBestSites(CacheDefinition current, int copies) {
    PlacementPolicy policy =
        PlacementPolicy.copies(current.name(), copies)
            .prefer(current.siteNames().toArray(String[]::new))
            .build();
    return manager().place(policy).sites();
  }

  private RestResponse alterDistributed(String name, AlterCacheBody body, RestCaller caller) {
    DistributedDefinition current =
        manager().distribution(name).orElseThrow(() -> Problem.notFound("cache", name));
    DistributedDefinition altered = body.applyTo(current);
    CacheCreationResource.checkParts(caller, altered.parts());
    if (altered.equals(current) && manager().parts().underWay(name).isEmpty()) {
      return RestResponse.json(200, CacheView.of(current));
    }
    caller
        .changeRecorder()
        .accept(SettingsChange.between(CacheView.settings(current), CacheView.settings(altered)));
    IdempotentChange.change(() -> manager().parts().alter(altered));
    return IdempotentChange.readState(() -> manager().parts().underWay()).stream()
        .filter(stored -> stored.definition().name().equals(name))
        .findFirst()
        .map(
            change ->
                RestResponse.json(202, OperationView.of(change))
                    .with("Location", ResourceLinks.operation(OperationId.of(change).text())))
        .orElseGet(() -> RestResponse.json(200, CacheView.of(altered)));
  }
}
