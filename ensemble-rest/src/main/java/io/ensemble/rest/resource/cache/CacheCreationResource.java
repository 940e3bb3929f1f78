package io.ensemble.rest.resource.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.CyclicCacheException;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.NameRules;
import io.ensemble.catalog.UnknownSitesException;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.partition.UnknownPartitionerException;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.SettingsChange;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Creates replicated and distributed caches. The request may be repeated: an existing cache with
 * the same settings gives the same response as a new one.
 *
 * <p>A cache without a name gets a random one. With an Idempotency-Key, the name is derived from
 * the key and the caller's name. A repeated request to any process then finds the cache of the
 * first one, and no other caller's request does.
 */
public final class CacheCreationResource {

  private static final int NAME_BYTES = 16;
  private static final List<Role> OF_PARTS = List.of(Role.ADMIN, Role.READ, Role.WRITE);

  private final RestContext context;
  private final SecureRandom random = new SecureRandom();

  public CacheCreationResource(RestContext context) {
    this.context = context;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.POST,
                "/caches",
                Role.ADMIN,
                context.limits().jsonBytes(),
                RouteDescription.of(
                        "createCache", "caches", "Creates a cache, replicated or distributed.")
                    .takes("application/json", "CacheRequest")
                    .header(
                        IdempotencyKey.HEADER,
                        "IdempotencyKey",
                        "Makes a retry without a name return the cache of the first request.")
                    .gives("Location", "The address of the cache.")
                    .json(201, "The cache was created", "Cache")
                    .json(200, "The cache exists with the same settings", "Cache")
                    .fails(
                        ProblemType.EXISTS_WITH_OTHER_SETTINGS,
                        ProblemType.CONFLICT,
                        ProblemType.IDEMPOTENCY_KEY_REUSED,
                        ProblemType.PLACEMENT_IMPOSSIBLE,
                        ProblemType.UNSUPPORTED_TYPE,
                        ProblemType.SITES_UNAVAILABLE,
                        ProblemType.SITE_FAILED),
                this::create)
            .withScopeEach());
  }

  /** The origin of the new cache's name. */
  private enum Naming {
    BY_CALLER,
    BY_KEY,
    AT_RANDOM
  }

  private EnsembleCacheManager manager() {
    return context.manager();
  }

  private CompletionStage<RestResponse> create(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, CreateCacheBody.FIELDS);
    Optional<UUID> key = IdempotencyKey.of(authorizedRequest);
    Naming naming =
        fields.has("name") ? Naming.BY_CALLER : key.isPresent() ? Naming.BY_KEY : Naming.AT_RANDOM;
    String name = fields.text("name").orElseGet(() -> createName(key));
    CreateCacheBody.buildChecked(
        "name",
        () -> {
          NameRules.check("cache name", name);
          return name;
        });
    authorizedRequest.caller().nameRecorder().accept(name);
    authorizedRequest.caller().check(Role.ADMIN, name);
    CreateCacheBody body = new CreateCacheBody(fields, name);
    if (body.isDistributed()) {
      DistributedDefinition definition = body.distributed();
      return context
          .workers()
          .reply(
              authorizedRequest,
              () -> createDistributed(definition, naming, authorizedRequest.caller()));
    }
    CacheDefinition.Builder settings = body.definitionBuilder();
    Optional<List<String>> sites = body.sites();
    OptionalInt shards = body.shards();
    if (sites.isPresent()) {
      CacheDefinition definition =
          CreateCacheBody.buildDefinition(() -> settings.sites(sites.get()).build());
      if (shards.isPresent()) {
        return context
            .workers()
            .reply(
                authorizedRequest,
                () ->
                    createSharded(
                        definition, shards.getAsInt(), naming, authorizedRequest.caller()));
      }
      return context
          .workers()
          .reply(
              authorizedRequest,
              () -> createOnSites(definition, naming, authorizedRequest.caller()));
    }
    // Invalid settings are reported before sites are chosen.
    CreateCacheBody.buildDefinition(() -> settings.sites("any").build());
    PlacementPolicy policy = body.placementPolicy();
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              try {
                return createPlaced(
                    policy, body.readNames("near"), settings, naming, authorizedRequest.caller());
              } catch (UnknownSitesException e) {
                throw body.toUnknownSiteProblem(e, authorizedRequest.caller());
              }
            });
  }

  /** A unique name: derived from the caller and the key, or random. */
  private String createName(Optional<UUID> key) {
    if (key.isPresent()) {
      return "cache-" + key.get().toString().replace("-", "");
    }
    byte[] bytes = new byte[NAME_BYTES];
    random.nextBytes(bytes);
    return "cache-" + HexFormat.of().formatHex(bytes);
  }

  private RestResponse createOnSites(CacheDefinition definition, Naming naming, RestCaller caller) {
    Optional<StoredDefinition> existing = manager().stored(definition.name());
    context.requireKnownSites(
        definition.siteNames(),
        existing.map(stored -> stored.definition().siteNames()).orElse(List.of()),
        caller);
    if (existing.isEmpty()) {
      recordCreation(CacheView.settings(definition), caller);
    }
    try {
      return toResponse(
          createCache(definition.name(), naming, () -> manager().createCache(definition)),
          existing.isPresent(),
          naming);
    } catch (CacheExistsException e) {
      throw toConflict(e, naming);
    }
  }

  private RestResponse createPlaced(
      PlacementPolicy policy,
      List<String> nearCaches,
      CacheDefinition.Builder settings,
      Naming naming,
      RestCaller caller) {
    boolean existed = manager().stored(policy.cache()).isPresent();
    if (!existed) {
      checkNear(nearCaches, caller);
    }
    try {
      CacheDefinition created =
          createCache(policy.cache(), naming, () -> manager().createCache(policy, settings));
      if (!existed) {
        recordCreation(CacheView.settings(created), caller);
      }
      return toResponse(created, existed, naming);
    } catch (CacheExistsException e) {
      // An earlier attempt of the same request may have chosen other sites.
      CacheDefinition existing = e.existing();
      boolean isSameRequest =
          naming == Naming.BY_KEY
              && policy.equals(
                  PlacementPolicy.copies(policy.cache(), existing.siteNames().size()).build())
              && settings.sites(existing.sites()).build().equals(existing);
      if (isSameRequest) {
        return toResponse(existing, true, naming);
      }
      throw toConflict(e, naming);
    }
  }

  private static void recordCreation(Map<String, Object> settings, RestCaller caller) {
    caller.changeRecorder().accept(SettingsChange.between(Map.of(), settings));
  }

  /**
   * Rejects caches that do not exist, with which the placement policy would have no effect. A cache
   * that the caller may not see is treated as missing; otherwise the sites of the new cache would
   * reveal the sites of that one.
   */
  private void checkNear(List<String> nearCaches, RestCaller caller) {
    for (int i = 0; i < nearCaches.size(); i++) {
      String cache = nearCaches.get(i);
      if (!caller.hasRole(Role.SEE, cache) || manager().stored(cache).isEmpty()) {
        throw Problem.invalid(
            "near[%d]".formatted(i), "a cache with sites that the caller may see", cache);
      }
    }
  }

  /**
   * The conflict of a creation. A name derived from a key belongs to its caller, so the existing
   * cache comes from another request with this key.
   */
  private static RuntimeException toConflict(CacheExistsException failure, Naming naming) {
    return naming == Naming.BY_KEY
        ? new ProblemException(
            Problem.bare(
                    ProblemType.IDEMPOTENCY_KEY_REUSED,
                    "the key belongs to another creation, or its cache was altered since; nothing "
                        + "was done")
                .with("cache", failure.existing().name()))
        : failure;
  }

  /**
   * Creates a cache. For a random name, the problem for a failure contains the name under which the
   * cache may exist.
   */
  private static CacheDefinition createCache(
      String name, Naming naming, Supplier<EnsembleCache<Object, Object>> creation) {
    if (naming != Naming.AT_RANDOM) {
      return IdempotentChange.change(creation).definition();
    }
    try {
      return creation.get().definition();
    } catch (CatalogException e) {
      if (e.reason() == CatalogException.Reason.UNKNOWN
          || e.reason() == CatalogException.Reason.UNAVAILABLE) {
        throw new ProblemException(
            Problem.bare(
                    ProblemType.UNKNOWN_OUTCOME,
                    "a cache of this name may exist; send a name or an Idempotency-Key to retry: "
                        + e.getMessage())
                .with("cache", name));
      }
      throw e;
    }
  }

  private RestResponse toResponse(CacheDefinition definition, boolean existed, Naming naming) {
    // The open cache may be an earlier one that another process has deleted.
    context.dropOpenCache(definition.name());
    Map<String, Object> document;
    try {
      document =
          manager()
              .stored(definition.name())
              .map(CacheView::of)
              .orElseGet(() -> CacheView.of(definition));
    } catch (CatalogException e) {
      document = CacheView.of(definition); // The cache exists, which the response reports.
    }
    return RestResponse.json(existed && naming != Naming.BY_KEY ? 200 : 201, document)
        .with("Location", ResourceLinks.cache(definition.name()));
  }

  private RestResponse createSharded(
      CacheDefinition settings, int shards, Naming naming, RestCaller caller) {
    String name = settings.name();
    boolean existed = manager().distribution(name).isPresent();
    context.requireKnownSites(
        settings.siteNames(), existed ? settings.siteNames() : List.of(), caller);
    if (!existed) {
      Map<String, Object> document = CacheView.settings(settings);
      document.put("shards", shards);
      recordCreation(document, caller);
    }
    runCreation(() -> manager().createSharded(settings, shards), naming);
    DistributedDefinition cache =
        manager().distribution(name).orElseThrow(() -> Problem.notFound("cache", name));
    return toResponse(cache, existed, naming);
  }

  private static void runCreation(Supplier<EnsembleCache<Object, Object>> creation, Naming naming) {
    try {
      IdempotentChange.change(creation);
    } catch (CatalogException e) {
      boolean reused = naming == Naming.BY_KEY && e.reason() == CatalogException.Reason.EXISTS;
      throw reused
          ? Problem.of(
              ProblemType.IDEMPOTENCY_KEY_REUSED,
              "the key belongs to another creation; nothing was done")
          : e;
    }
  }

  private RestResponse createDistributed(
      DistributedDefinition definition, Naming naming, RestCaller caller) {
    checkParts(caller, definition.parts());
    Set<String> visibleCaches = new TreeSet<>(manager().getCacheNames());
    visibleCaches.removeIf(name -> !caller.hasRole(Role.SEE, name));
    for (int i = 0; i < definition.parts().size(); i++) {
      if (!visibleCaches.contains(definition.parts().get(i))) {
        throw Problem.invalid(
            "caches[%d]".formatted(i), "one of " + visibleCaches, definition.parts().get(i));
      }
    }
    boolean existed = manager().distribution(definition.name()).isPresent();
    if (!existed) {
      recordCreation(CacheView.settings(definition), caller);
    }
    try {
      runCreation(() -> manager().createDistributed(definition), naming);
    } catch (UnknownPartitionerException e) {
      throw CreateCacheBody.toProblem("partitioner.name", e);
    } catch (CyclicCacheException e) {
      throw CreateCacheBody.toProblem("caches", e);
    } catch (IllegalArgumentException e) {
      throw CreateCacheBody.toProblem("partitioner.parameters", e);
    }
    return toResponse(definition, existed, naming);
  }

  private static RestResponse toResponse(
      DistributedDefinition definition, boolean existed, Naming naming) {
    return RestResponse.json(
            existed && naming != Naming.BY_KEY ? 200 : 201, CacheView.of(definition))
        .with("Location", ResourceLinks.cache(definition.name()));
  }

  /**
   * Checks the caller's roles in the parts of a distributed cache. A reader and writer of the whole
   * cache reads and writes its parts. So a caller must not grant access to a part through the whole
   * without having it. The administrator of a cache may not read it by that role alone.
   */
  static void checkParts(RestCaller caller, List<String> parts) {
    for (String part : parts) {
      for (Role role : OF_PARTS) {
        caller.check(role, part);
      }
    }
  }
}
