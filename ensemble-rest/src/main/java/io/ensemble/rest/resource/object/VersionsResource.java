package io.ensemble.rest.resource.object;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.EntriesResource;
import io.ensemble.rest.resource.entry.EntryListResource;
import io.ensemble.rest.resource.entry.Representation;
import io.ensemble.versioning.AsOfResult;
import io.ensemble.versioning.AsyncVersionedCache;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersioningException;
import io.ensemble.versioning.order.HybridTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Versioned values on MWMR caches: {@link io.ensemble.versioning.VersionedCache} by hybrid times. A
 * version chosen by the client is added once, however often the request is repeated.
 */
public final class VersionsResource {

  private static final String TAG = "versions";
  private static final String PATH = "/caches/{cache}/versions/{key}";
  private static final String RETENTION_PATH = "/caches/{cache}/retention";
  private static final String HEADER = "Ensemble-Version";
  private static final int LARGEST_VALUE = 240 << 10;
  private static final int USUAL_PAGE = 100;

  /** The longest time of a retention: 1,000 years. */
  private static final long LONGEST_MILLIS = 365_000L * 24 * 3600 * 1000;

  private final RestContext context;
  private final ObjectFactoryCache objects;

  public VersionsResource(RestContext context, ObjectFactoryCache objects) {
    this.context = context;
    this.objects = objects;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            PATH,
            Role.READ,
            0,
            describe(
                    "getLatest",
                    "Returns the latest version of a key, or the version as of a time.")
                .query(
                    "asOf",
                    "Moment",
                    "A version or a time; returns the newest version that is not above it.")
                .gives("ETag", "A digest of media type and bytes.")
                .gives("Ensemble-Version", "The version of the value.")
                .bytes(200, "The value; " + HEADER + " names the version", "*/*"),
            this::get),
        new RestRoute(
            HttpMethod.POST,
            PATH,
            Role.WRITE,
            LARGEST_VALUE,
            describe("addVersion", "Adds a version above all versions that this process has seen.")
                .takes("*/*", "")
                .gives("Location", "The address of the version.")
                .json(201, "The version was added", "Version")
                .fails(ProblemType.IDEMPOTENCY_UNSUPPORTED),
            this::add),
        new RestRoute(
            HttpMethod.GET,
            PATH + "/{version}",
            Role.READ,
            0,
            describe("getVersion", "Returns the value of a version.")
                .gives("ETag", "A digest of media type and bytes.")
                .gives("Ensemble-Version", "The version of the value.")
                .bytes(200, "The value", "*/*"),
            this::version),
        new RestRoute(
            HttpMethod.PUT,
            PATH + "/{version}",
            Role.WRITE,
            LARGEST_VALUE,
            describe("putVersion", "Adds this version. May be retried.")
                .takes("*/*", "")
                .gives("Location", "The address of the version.")
                .json(201, "The version was added, or exists with this value", "Version")
                .fails(ProblemType.EXISTS_WITH_OTHER_SETTINGS),
            this::put),
        new RestRoute(
            HttpMethod.GET,
            PATH + "/history",
            Role.READ,
            0,
            describe("listVersions", "Lists the versions of a key, newest first.")
                .query("from", "Moment", "The oldest version to return.")
                .query("to", "Moment", "The newest version to return.")
                .query("limit", "Limit", "The maximum number of versions; default: 100.")
                .query("cursor", "Moment", "The cursor of the previous page.")
                .json(200, "A page; the last page has no cursor", "Versions"),
            this::history),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/compact",
            Role.ADMIN,
            context.limits().jsonBytes(),
            describe(
                    "compactVersions",
                    "Removes versions that no read as of this version or a later one returns.")
                .takes("application/json", "CompactRequest")
                .empty(204, "The versions were removed")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::compact),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/{version}/restore",
            Role.WRITE,
            0,
            describe(
                    "restoreVersion",
                    "Adds the value of a version as a new version; if the version is a removal, "
                        + "adds a removal.")
                .gives("Location", "The address of the new version.")
                .json(201, "The version was added", "Version")
                .fails(ProblemType.IDEMPOTENCY_UNSUPPORTED),
            this::restore),
        new RestRoute(
            HttpMethod.GET,
            RETENTION_PATH,
            Role.READ,
            0,
            describe("getRetention", "Returns which versions the cache keeps.")
                .json(200, "The retention", "Retention"),
            this::retention),
        new RestRoute(
            HttpMethod.PUT,
            RETENTION_PATH,
            Role.ADMIN,
            context.limits().jsonBytes(),
            describe(
                    "setRetention",
                    "Sets which versions the cache keeps; all if no bound is given. Additions "
                        + "that begin 10 s later use it. May be retried.")
                .takes("application/json", "Retention")
                .json(200, "The retention", "Retention")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::setRetention));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary)
        .fails(
            ProblemType.CONFLICT,
            ProblemType.GONE,
            ProblemType.SITES_UNAVAILABLE,
            ProblemType.UNKNOWN_OUTCOME);
  }

  private <R> CompletionStage<R> callVersions(
      AuthorizedRequest authorizedRequest,
      boolean retrySafe,
      Function<AsyncVersionedCache<String, Representation, HybridTime>, CompletionStage<R>> use) {
    return objects.call(
        authorizedRequest.path("cache"),
        retrySafe,
        cacheObjects ->
            cacheObjects
                .versions()
                .call("versions", cacheObjects::openVersions, cache -> use.apply(cache.async())));
  }

  /** The same for readers; creates nothing. */
  private <R> CompletionStage<R> callExistingVersions(
      AuthorizedRequest authorizedRequest,
      Function<AsyncVersionedCache<String, Representation, HybridTime>, CompletionStage<R>> use) {
    return objects.call(
        authorizedRequest.path("cache"),
        true,
        cacheObjects ->
            cacheObjects
                .versions()
                .call(
                    "versions",
                    cacheObjects::openVersionsIfCreated,
                    cache -> use.apply(cache.async())));
  }

  private String readKey(AuthorizedRequest authorizedRequest) {
    return EntriesResource.readKey(authorizedRequest, context.limits().keyBytes());
  }

  private static HybridTime readVersion(AuthorizedRequest authorizedRequest) {
    return VersionText.parse("version", authorizedRequest.path("version"));
  }

  private CompletionStage<RestResponse> get(AuthorizedRequest authorizedRequest) {
    String key = readKey(authorizedRequest);
    Optional<HybridTime> asOf =
        authorizedRequest.head().query("asOf").map(text -> VersionText.parseChosen("asOf", text));
    return callExistingVersions(
            authorizedRequest,
            cache ->
                asOf.isPresent()
                    ? cache.getAtOrBelow(key, asOf.get())
                    : cache.latest(key).thenApply(AsOfResult::of))
        .exceptionally(failure -> emptyIfNotCreated(failure, new AsOfResult.Absent<>()))
        .thenApply(found -> toResponse(found, key));
  }

  /**
   * The response to a read as of a moment. {@link AsyncVersionedCache#asOf} would delay writers,
   * which a caller with read permission only must not do. So a lower version may still be added
   * later.
   */
  private static RestResponse toResponse(AsOfResult<HybridTime, Representation> found, String key) {
    if (found instanceof AsOfResult.Compacted<HybridTime, Representation> compacted) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.GONE,
                  "the version of that moment was compacted; 'oldest' is the oldest version that "
                      + "is kept")
              .with("oldest", VersionText.of(compacted.oldest().version())));
    }
    Versioned<HybridTime, Representation> versioned =
        found.found().orElseThrow(() -> toNoVersionProblem(key, "the key has no version"));
    return toResponse(versioned.version(), versioned.value(), key);
  }

  private static ProblemException toNoVersionProblem(String key, String detail) {
    return new ProblemException(
        Problem.bare(ProblemType.NOT_FOUND, detail).with("key", Problem.abbreviate(key)));
  }

  private static RestResponse toResponse(
      HybridTime version, Optional<Representation> value, String key) {
    Representation present =
        value.orElseThrow(() -> toNoVersionProblem(key, "the key was removed in this version"));
    return present.reply().with(HEADER, VersionText.of(version));
  }

  private CompletionStage<RestResponse> version(AuthorizedRequest authorizedRequest) {
    String key = readKey(authorizedRequest);
    HybridTime version = readVersion(authorizedRequest);
    return callExistingVersions(
            authorizedRequest, cache -> cache.get(key, version).thenApply(Optional::of))
        .exceptionally(failure -> emptyIfNotCreated(failure, Optional.empty()))
        .thenApply(
            found ->
                toResponse(
                    version,
                    found.orElseThrow(() -> toNoVersionProblem(key, "the key has no version")),
                    key));
  }

  private static Representation readBody(AuthorizedRequest authorizedRequest) {
    Representation value =
        Representation.of(
            authorizedRequest.head().header("Content-Type").orElse(Representation.BYTES),
            authorizedRequest.body());
    int bytes = value.toBytes().length;
    if (bytes > LARGEST_VALUE) {
      throw Problem.of(
          ProblemType.TOO_LARGE,
          "a value must have at most %d bytes with its media type; got %d"
              .formatted(LARGEST_VALUE, bytes));
    }
    return value;
  }

  private CompletionStage<RestResponse> add(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(authorizedRequest, "choose the version and PUT it, which may be retried");
    String key = readKey(authorizedRequest);
    Representation value = readBody(authorizedRequest);
    return callVersions(authorizedRequest, false, cache -> cache.add(key, value))
        .thenApply(version -> toCreatedResponse(authorizedRequest, key, version));
  }

  private static RestResponse toCreatedResponse(
      AuthorizedRequest authorizedRequest, String key, HybridTime version) {
    String text = VersionText.of(version);
    return RestResponse.json(201, Map.of("version", text))
        .with(
            "Location",
            ResourceLinks.cache(authorizedRequest.path("cache"))
                + "/versions/"
                + ResourceLinks.segment(key)
                + "/"
                + text);
  }

  private CompletionStage<RestResponse> put(AuthorizedRequest authorizedRequest) {
    String key = readKey(authorizedRequest);
    HybridTime version = VersionText.parseChosen("version", authorizedRequest.path("version"));
    Representation value = readBody(authorizedRequest);
    return callVersions(
            authorizedRequest,
            true,
            cache ->
                cache
                    .put(key, value, version)
                    .handle((ignored, failure) -> Optional.ofNullable(failure))
                    .thenCompose(
                        failure ->
                            failure.isEmpty()
                                ? CompletableFuture.completedFuture(true)
                                : compareExisting(cache, key, version, value, failure.get())))
        .thenApply(
            isSame -> {
              if (!isSame) {
                throw Problem.of(
                    ProblemType.EXISTS_WITH_OTHER_SETTINGS,
                    "the version exists with another value");
              }
              return toCreatedResponse(authorizedRequest, key, version);
            });
  }

  /** Whether the existing version has that value; false if there is none. */
  private static CompletionStage<Boolean> compareExisting(
      AsyncVersionedCache<String, Representation, HybridTime> cache,
      String key,
      HybridTime version,
      Representation value,
      Throwable failure) {
    return ProblemMapper.unwrap(failure) instanceof VersioningException.VersionExists
        ? cache.get(key, version).thenApply(found -> found.filter(value::equals).isPresent())
        : CompletableFuture.failedFuture(failure);
  }

  private CompletionStage<RestResponse> history(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    String key = readKey(authorizedRequest);
    int limit = EntryListResource.readLimit(head, USUAL_PAGE, context.limits().pageEntries());
    @Nullable HybridTime from =
        head.query("from").map(text -> VersionText.parse("from", text)).orElse(null);
    Optional<HybridTime> cursor =
        head.query("cursor").map(text -> VersionText.parse("cursor", text));
    @Nullable HybridTime to =
        cursor.orElseGet(
            () -> head.query("to").map(text -> VersionText.parse("to", text)).orElse(null));
    return callExistingVersions(
            authorizedRequest, cache -> cache.versions(key, from, to, limit + 2, true))
        .exceptionally(failure -> emptyIfNotCreated(failure, List.of()))
        .thenApply(
            found -> {
              List<HybridTime> versions = new ArrayList<>(found);
              cursor.ifPresent(versions::remove);
              List<Map<String, Object>> page = new ArrayList<>();
              for (HybridTime version : versions.subList(0, Math.min(limit, versions.size()))) {
                page.add(
                    StrictJson.object(
                        "version",
                        VersionText.of(version),
                        "time",
                        Instant.ofEpochMilli(version.millis()).toString()));
              }
              Map<String, Object> document = new LinkedHashMap<>();
              document.put("versions", page);
              if (versions.size() > limit) {
                document.put("cursor", VersionText.of(versions.get(limit - 1)));
              }
              return RestResponse.json(200, document);
            });
  }

  /** The result for a cache before its first version is added. */
  private static <T> T emptyIfNotCreated(Throwable failure, T emptyResult) {
    if (ProblemMapper.unwrap(failure) instanceof ProblemException refused
        && refused.problem().members().containsKey(ObjectFactoryCache.VERSIONS)) {
      return emptyResult;
    }
    throw failure instanceof CompletionException completion
        ? completion
        : new CompletionException(failure);
  }

  private CompletionStage<RestResponse> compact(AuthorizedRequest authorizedRequest) {
    String key = readKey(authorizedRequest);
    HybridTime version =
        VersionText.parse("version", JsonFields.of(authorizedRequest, "version").needed("version"));
    return callVersions(authorizedRequest, true, cache -> cache.compact(key, version))
        .thenApply(ignored -> RestResponse.noContent());
  }

  private CompletionStage<RestResponse> restore(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(
        authorizedRequest, "read the version and PUT its value under a version that you choose");
    String key = readKey(authorizedRequest);
    HybridTime version = readVersion(authorizedRequest);
    return callVersions(authorizedRequest, false, cache -> cache.restore(key, version))
        .thenApply(restored -> toCreatedResponse(authorizedRequest, key, restored));
  }

  private CompletionStage<RestResponse> retention(AuthorizedRequest authorizedRequest) {
    return callExistingVersions(authorizedRequest, AsyncVersionedCache::retention)
        .exceptionally(failure -> emptyIfNotCreated(failure, Retention.ALL))
        .thenApply(VersionsResource::toResponse);
  }

  private CompletionStage<RestResponse> setRetention(AuthorizedRequest authorizedRequest) {
    JsonFields body = JsonFields.of(authorizedRequest, "versions", "ageMillis", "leastAgeMillis");
    Retention retention =
        new Retention(
            body.integer("versions", 1, Integer.MAX_VALUE).orElse(0),
            body.number("ageMillis", 1, LONGEST_MILLIS).orElse(0),
            body.number("leastAgeMillis", 1, LONGEST_MILLIS).orElse(0));
    return callVersions(authorizedRequest, true, cache -> cache.changeRetention(retention))
        .thenApply(changed -> toResponse(retention));
  }

  /** The bounds that apply. */
  private static RestResponse toResponse(Retention retention) {
    Map<String, Object> document = new LinkedHashMap<>();
    putPositive(document, "versions", retention.mostVersions());
    putPositive(document, "ageMillis", retention.mostMillis());
    putPositive(document, "leastAgeMillis", retention.leastMillis());
    return RestResponse.json(200, document);
  }

  private static void putPositive(Map<String, Object> document, String field, long bound) {
    if (bound > 0) {
      document.put(field, bound);
    }
  }
}
