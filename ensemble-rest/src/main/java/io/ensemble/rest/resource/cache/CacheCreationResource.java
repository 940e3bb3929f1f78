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

  private final RestContext federation;
  private final SecureRandom random = new SecureRandom();

  public CacheCreationResource(RestContext federation) {
    this.federation = federation;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.POST,
                "/caches",
                Role.ADMIN,
                federation.limits().jsonBytes(),
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
            .ofEach());
  }

  /** The origin of the new cache's name. */
  private enum Naming {
    BY_CALLER,
    BY_KEY,
    AT_RANDOM
  }

  private EnsembleCacheManager manager() {
    return federation.manager();
  }

  private CompletionStage<RestResponse> create(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, CreateCacheBody.FIELDS);
    Optional<UUID> key = IdempotencyKey.of(authorizedRequest);
    Naming naming =
        fields.has("name") ? Naming.BY_CALLER : key.isPresent() ? Naming.BY_KEY : Naming.AT_RANDOM;
    String name = fields.text("name").orElseGet(() -> name(key));
    CreateCacheBody.checked(
        "name",
        () -> {
          NameRules.check("cache name", name);
          return name;
        });
    authorizedRequest.caller().naming().accept(name);
    authorizedRequest.caller().check(Role.ADMIN, name);
    CreateCacheBody body = new CreateCacheBody(fields, name);
    if (body.isDistributed()) {
      DistributedDefinition wanted = body.distributed();
      return federation
          .workers()
          .reply(authorizedRequest, () -> distributed(wanted, naming, authorizedRequest.caller()));
    }
    CacheDefinition.Builder settings = body.settings();
    Optional<List<String>> sites = body.sites();
    OptionalInt shards = body.shards();
    if (sites.isPresent()) {
      CacheDefinition wanted =
          CreateCacheBody.definition(() -> settings.sites(sites.get()).build());
      if (shards.isPresent()) {
        return federation
            .workers()
            .reply(
                authorizedRequest,
                () -> sharded(wanted, shards.getAsInt(), naming, authorizedRequest.caller()));
      }
      return federation
          .workers()
          .reply(authorizedRequest, () -> named(wanted, naming, authorizedRequest.caller()));
    }
    // Invalid settings are reported before sites are chosen.
    CreateCacheBody.definition(() -> settings.sites("any").build());
    PlacementPolicy wish = body.wish();
    return federation
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              try {
                return placed(
                    wish, body.named("near"), settings, naming, authorizedRequest.caller());
              } catch (UnknownSitesException e) {
                throw body.unknown(e, authorizedRequest.caller());
              }
            });
  }

  /** A unique name: derived from the caller and the key, or random. */
  private String name(Optional<UUID> key) {
    if (key.isPresent()) {
      return "cache-" + key.get().toString().replace("-", "");
    }
    byte[] bytes = new byte[NAME_BYTES];
    random.nextBytes(bytes);
    return "cache-" + HexFormat.of().formatHex(bytes);
  }

  private RestResponse named(CacheDefinition wanted, Naming naming, RestCaller caller) {
    Optional<StoredDefinition> there = manager().stored(wanted.name());
    federation.checkKnown(
        wanted.siteNames(),
        there.map(one -> one.definition().siteNames()).orElse(List.of()),
        caller);
    try {
      return created(
          made(wanted.name(), naming, () -> manager().createCache(wanted)),
          there.isPresent(),
          naming);
    } catch (CacheExistsException e) {
      throw otherwise(e, naming);
    }
  }

  private RestResponse placed(
      PlacementPolicy wish,
      List<String> near,
      CacheDefinition.Builder settings,
      Naming naming,
      RestCaller caller) {
    boolean there = manager().stored(wish.cache()).isPresent();
    if (!there) {
      checkNear(near, caller);
    }
    try {
      return created(
          made(wish.cache(), naming, () -> manager().createCache(wish, settings)), there, naming);
    } catch (CacheExistsException e) {
      // An earlier attempt of the same request may have chosen other sites.
      CacheDefinition found = e.existing();
      boolean same =
          naming == Naming.BY_KEY
              && wish.equals(PlacementPolicy.copies(wish.cache(), found.siteNames().size()).build())
              && settings.sites(found.sites()).build().equals(found);
      if (same) {
        return created(found, true, naming);
      }
      throw otherwise(e, naming);
    }
  }

  /**
   * Rejects caches that do not exist, with which the placement policy would have no effect. A cache
   * that the caller may not see is treated as missing; otherwise the sites of the new cache would
   * reveal the sites of that one.
   */
  private void checkNear(List<String> near, RestCaller caller) {
    for (int i = 0; i < near.size(); i++) {
      String other = near.get(i);
      if (!caller.may(Role.SEE, other) || manager().stored(other).isEmpty()) {
        throw Problem.invalid(
            "near[%d]".formatted(i), "a cache with sites that the caller may see", other);
      }
    }
  }

  /**
   * The conflict of a creation. A name derived from a key belongs to its caller, so the existing
   * cache comes from another request with this key.
   */
  private static RuntimeException otherwise(CacheExistsException failure, Naming naming) {
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
  private static CacheDefinition made(
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

  private RestResponse created(CacheDefinition made, boolean before, Naming naming) {
    // The open cache may be an earlier one that another process has deleted.
    federation.forget(made.name());
    Map<String, Object> shown;
    try {
      shown = manager().stored(made.name()).map(CacheView::of).orElseGet(() -> CacheView.of(made));
    } catch (CatalogException e) {
      shown = CacheView.of(made); // The cache exists, which the response reports.
    }
    return RestResponse.json(before && naming != Naming.BY_KEY ? 200 : 201, shown)
        .with("Location", ResourceLinks.cache(made.name()));
  }

  private RestResponse sharded(
      CacheDefinition settings, int shards, Naming naming, RestCaller caller) {
    String name = settings.name();
    boolean exists = manager().distribution(name).isPresent();
    federation.checkKnown(settings.siteNames(), exists ? settings.siteNames() : List.of(), caller);
    made(() -> manager().createSharded(settings, shards), naming);
    DistributedDefinition cache =
        manager().distribution(name).orElseThrow(() -> Problem.notFound("cache", name));
    return created(cache, exists, naming);
  }

  private static void made(Supplier<EnsembleCache<Object, Object>> creation, Naming naming) {
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

  private RestResponse distributed(DistributedDefinition wanted, Naming naming, RestCaller caller) {
    checkParts(caller, wanted.parts());
    Set<String> known = new TreeSet<>(manager().getCacheNames());
    known.removeIf(name -> !caller.may(Role.SEE, name));
    for (int i = 0; i < wanted.parts().size(); i++) {
      if (!known.contains(wanted.parts().get(i))) {
        throw Problem.invalid("caches[%d]".formatted(i), "one of " + known, wanted.parts().get(i));
      }
    }
    boolean there = manager().distribution(wanted.name()).isPresent();
    try {
      made(() -> manager().createDistributed(wanted), naming);
    } catch (UnknownPartitionerException e) {
      throw CreateCacheBody.refused("partitioner.name", e);
    } catch (CyclicCacheException e) {
      throw CreateCacheBody.refused("caches", e);
    } catch (IllegalArgumentException e) {
      throw CreateCacheBody.refused("partitioner.parameters", e);
    }
    return created(wanted, there, naming);
  }

  private static RestResponse created(DistributedDefinition made, boolean before, Naming naming) {
    return RestResponse.json(before && naming != Naming.BY_KEY ? 200 : 201, CacheView.of(made))
        .with("Location", ResourceLinks.cache(made.name()));
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
