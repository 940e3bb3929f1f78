package io.ensemble.rest.resource.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Precondition;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.SettingsChange;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.EntryListResource;
import io.ensemble.rest.resource.operation.OperationId;
import io.ensemble.rest.resource.operation.OperationView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/** The existing caches: their present definitions, and their alterations. */
public final class CachesResource {

  private static final String TAG = "caches";

  /** The maximum of {@code limit}. */
  private static final int MAX_PAGE_CACHES = 1_000;

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
                describe(
                        "listCaches",
                        "Lists the caches that the caller may see, in the order of their names.")
                    .query("limit", "Limit", "The maximum number of caches; default: unlimited.")
                    .query("cursor", "string", "The cursor of the previous page.")
                    .gives("Link", "The address of the next page, rel=\"next\".")
                    .json(200, "The caches; the last page has no cursor", "Caches"),
                this::list)
            .withScopeEach(),
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}",
            Role.SEE,
            0,
            describe(
                    "inspectCache",
                    "Returns the settings of a cache, its guarantee and its missing replicas.")
                .gives("ETag", "Identifies the record of the cache, for If-Match.")
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
                .header(
                    "If-Match",
                    "Tags",
                    "Alters only if the ETag of the cache is listed; * for any cache.")
                .header("If-None-Match", "Tags", "Alters only if the ETag is not listed.")
                .takes("application/json", "AlterRequest")
                .gives("Location", "The address of the operation.")
                .gives("ETag", "Identifies the record of the cache; with status 200 only.")
                .json(202, "The change has begun", "Operation")
                .json(200, "The cache has these settings already", "Cache")
                .fails(
                    ProblemType.CHANGE_IN_PROGRESS,
                    ProblemType.CONFLICT,
                    ProblemType.PLACEMENT_IMPOSSIBLE,
                    ProblemType.PRECONDITION_FAILED,
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
                .header(
                    "If-Match",
                    "Tags",
                    "Deletes only if the ETag of the cache is listed; * for any cache. Not for a "
                        + "distributed cache.")
                .header("If-None-Match", "Tags", "Deletes only if the ETag is not listed.")
                .empty(204, "The cache was deleted")
                .fails(ProblemType.CONFLICT, ProblemType.PRECONDITION_FAILED),
            this::delete));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  private EnsembleCacheManager manager() {
    return context.manager();
  }

  private CompletionStage<RestResponse> list(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int limit =
        head.query("limit").isPresent()
            ? EntryListResource.readLimit(head, MAX_PAGE_CACHES, MAX_PAGE_CACHES)
            : Integer.MAX_VALUE;
    String after = head.query("cursor").orElse("");
    return context
        .workers()
        .reply(authorizedRequest, () -> list(authorizedRequest.caller(), after, limit));
  }

  /**
   * A page of caches. Its cursor is the name of its last cache: any service continues from it, also
   * if that cache is deleted meanwhile.
   */
  private RestResponse list(RestCaller caller, String after, int limit) {
    List<String> names =
        new TreeSet<>(manager().getCacheNames())
            .tailSet(after, false).stream().filter(name -> caller.hasRole(Role.SEE, name)).toList();
    List<String> page = names.subList(0, Math.min(limit, names.size()));
    List<Object> caches = new ArrayList<>();
    page.forEach(name -> findView(name).ifPresent(caches::add));
    if (page.size() == names.size()) {
      return RestResponse.json(200, Map.of("caches", caches));
    }
    String cursor = page.get(page.size() - 1);
    return RestResponse.json(200, StrictJson.object("caches", caches, "cursor", cursor))
        .with("Link", ResourceLinks.nextCaches(limit, cursor));
  }

  private Optional<Map<String, Object>> findView(String name) {
    return manager()
        .stored(name)
        .map(CacheView::of)
        .or(() -> manager().distribution(name).map(CacheView::of));
  }

  private RestResponse inspect(String name) {
    return manager()
        .stored(name)
        .map(
            stored ->
                RestResponse.json(200, CacheView.of(stored, manager().knownRedundancy(stored)))
                    .with("ETag", etag(stored)))
        .or(() -> manager().parts().find(name).map(CachesResource::toResponse))
        .orElseThrow(() -> Problem.notFound("cache", name));
  }

  private static RestResponse toResponse(StoredDefinition stored) {
    return RestResponse.json(200, CacheView.of(stored)).with("ETag", etag(stored));
  }

  private static RestResponse toResponse(StoredDistribution stored) {
    return RestResponse.json(200, CacheView.of(stored.definition())).with("ETag", etag(stored));
  }

  /**
   * The tag of a record. Each change of the record has another revision, also the progress of an
   * operation and the recovery of a store. The tag does not cover the redundancy, which is observed
   * and not recorded.
   */
  private static String etag(StoredDefinition stored) {
    return "\"%s.%d\"".formatted(stored.birth(), stored.revision());
  }

  private static String etag(StoredDistribution stored) {
    return "\"%s.%d\"".formatted(stored.birth(), stored.revision());
  }

  private CompletionStage<RestResponse> delete(AuthorizedRequest authorizedRequest) {
    Precondition precondition = Precondition.of(authorizedRequest.head());
    String name = authorizedRequest.path("cache");
    RestCaller caller = authorizedRequest.caller();
    return context
        .workers()
        .reply(
            authorizedRequest,
            () ->
                precondition.isEmpty()
                    ? delete(name, caller)
                    : deleteIf(precondition, name, caller));
  }

  private RestResponse deleteIf(Precondition precondition, String name, RestCaller caller) {
    if (manager().distribution(name).isPresent()) {
      throw Problem.invalid("If-Match", "no precondition: the cache is distributed", "one");
    }
    StoredDefinition stored =
        manager().stored(name).orElseThrow(() -> Problem.notFound("cache", name));
    precondition.check(etag(stored));
    caller
        .changeRecorder()
        .accept(SettingsChange.between(CacheView.settings(stored.definition()), Map.of()));
    context.dropOpenCache(name);
    if (!manager().deleteCacheIfUnchanged(stored)) {
      throw toChangedProblem(
          precondition,
          manager()
              .stored(name)
              .map(CachesResource::etag)
              .orElseThrow(() -> Problem.notFound("cache", name)));
    }
    context.handleDeletion(name);
    return RestResponse.noContent();
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
    Precondition precondition = Precondition.of(authorizedRequest.head());
    String name = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              Optional<StoredDefinition> stored = manager().stored(name);
              return stored.isPresent()
                  ? alterReplicated(stored.get(), body, precondition, authorizedRequest.caller())
                  : alterDistributed(name, body, precondition, authorizedRequest.caller());
            });
  }

  private RestResponse alterReplicated(
      StoredDefinition stored, AlterCacheBody body, Precondition precondition, RestCaller caller) {
    CacheDefinition current = stored.definition();
    CacheDefinition altered = body.applyTo(current, copies -> chooseBestSites(current, copies));
    context.requireKnownSites(altered.siteNames(), current.siteNames(), caller);
    precondition.check(etag(stored)); // After the fields: RFC 9110, section 13.2.1.
    if (altered.equals(current) && stored.change().isEmpty()) {
      return toResponse(stored);
    }
    caller
        .changeRecorder()
        .accept(SettingsChange.between(CacheView.settings(current), CacheView.settings(altered)));
    if (precondition.isEmpty()) {
      IdempotentChange.change(() -> manager().changes().alter(altered, body.keysPerSecond()));
    } else if (manager()
        .changes()
        .alterIfUnchanged(stored, altered, body.keysPerSecond())
        .isEmpty()) {
      throw toChangedProblem(
          precondition,
          manager()
              .stored(current.name())
              .map(CachesResource::etag)
              .orElseThrow(() -> Problem.notFound("cache", current.name())));
    }
    StoredDefinition updated =
        IdempotentChange.readState(() -> manager().stored(current.name()).orElse(stored));
    if (updated.change().isEmpty()) {
      return toResponse(updated); // The change ended before it could be read.
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

  /** The problem of a record that was changed after its tag had been compared. */
  private static ProblemException toChangedProblem(Precondition precondition, String etag) {
    precondition.check(etag);
    return Problem.of(
        ProblemType.PRECONDITION_FAILED, "the cache was changed meanwhile; nothing was done");
  }

  private RestResponse alterDistributed(
      String name, AlterCacheBody body, Precondition precondition, RestCaller caller) {
    StoredDistribution stored =
        manager().parts().find(name).orElseThrow(() -> Problem.notFound("cache", name));
    DistributedDefinition current = stored.definition();
    DistributedDefinition altered = body.applyTo(current);
    CacheCreationResource.checkParts(caller, altered.parts());
    precondition.check(etag(stored));
    if (altered.equals(current) && stored.growth().isEmpty()) {
      return toResponse(stored);
    }
    caller
        .changeRecorder()
        .accept(SettingsChange.between(CacheView.settings(current), CacheView.settings(altered)));
    if (precondition.isEmpty()) {
      IdempotentChange.change(() -> manager().parts().alter(altered));
    } else if (manager().parts().alterIfUnchanged(stored, altered).isEmpty()) {
      throw toChangedProblem(
          precondition,
          manager()
              .parts()
              .find(name)
              .map(CachesResource::etag)
              .orElseThrow(() -> Problem.notFound("cache", name)));
    }
    return IdempotentChange.readState(() -> manager().parts().underWay()).stream()
        .filter(change -> change.definition().name().equals(name))
        .findFirst()
        .map(
            change ->
                RestResponse.json(202, OperationView.of(change))
                    .with("Location", ResourceLinks.operation(OperationId.of(change).text())))
        .orElseGet(() -> RestResponse.json(200, CacheView.of(altered)));
  }
}
