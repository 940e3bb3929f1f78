package io.ensemble.rest.resource.object;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.sync.NamedLock;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.object.ObjectFactoryCache.OfCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Fenced locks on MWMR caches, for holders with names of their own choice: {@link NamedLock}. Any
 * service serves any holder, and every request may be repeated.
 */
public final class LocksResource {

  private static final String TAG = "locks";
  private static final String PATH = "/caches/{cache}/locks/{lock}";
  private static final int LONGEST_HOLDER = 255;
  private static final int SHORTEST_LEASE_MILLIS = 500;
  private static final int LONGEST_LEASE_MILLIS = 3_600_000;
  private static final int USUAL_LEASE_MILLIS = 10_000;
  private static final int LONGEST_WAIT_MILLIS = 30_000;

  private final RestContext context;
  private final ObjectFactoryCache objects;

  public LocksResource(RestContext context, ObjectFactoryCache objects) {
    this.context = context;
    this.objects = objects;
  }

  public List<RestRoute> routes() {
    int maxBodyBytes = context.limits().jsonBytes();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            PATH,
            Role.READ,
            0,
            describe("inspectLock", "Returns whether a lock is held, and its fencing token.")
                .json(200, "The state of the lock", "Lock"),
            this::inspect),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/acquire",
            Role.WRITE,
            maxBodyBytes,
            describe(
                    "acquireLock",
                    "Acquires a lock for a holder, or renews its lease. The lease counts from "
                        + "before the request was sent.")
                .takes("application/json", "AcquireRequest")
                .json(200, "The lock is held by the holder", "Grant")
                .fails(ProblemType.LOCK_HELD, ProblemType.UNSUPPORTED_TYPE),
            this::acquire),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/renew",
            Role.WRITE,
            maxBodyBytes,
            describe("renewLock", "Renews the lease of a holder.")
                .takes("application/json", "HolderRequest")
                .json(200, "The lease was renewed", "Grant")
                .fails(ProblemType.LEASE_LOST, ProblemType.UNSUPPORTED_TYPE),
            this::renew),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/release",
            Role.WRITE,
            maxBodyBytes,
            describe("releaseLock", "Releases a lock.")
                .takes("application/json", "HolderRequest")
                .json(200, "Whether the lock was held", "Released")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::release),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/revoke",
            Role.ADMIN,
            maxBodyBytes,
            describe(
                    "revokeLock",
                    "Takes a lock from the holder with a token, and returns a larger token, which "
                        + "fences that holder.")
                .takes("application/json", "RevokeRequest")
                .json(200, "Whether a holder with that token was removed", "Revoked")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::revoke));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary)
        .fails(ProblemType.CONFLICT, ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME);
  }

  /** Calls a lock; every request on a lock may be repeated. */
  private <R> CompletionStage<R> callLock(
      AuthorizedRequest authorizedRequest, Function<NamedLock, CompletionStage<R>> use) {
    String name = objects.checkName(authorizedRequest.path("lock"));
    return objects.call(
        authorizedRequest.path("cache"),
        true,
        cacheObjects ->
            cacheObjects
                .locks()
                .call(name, () -> cacheObjects.synchronizers().namedLock(name), use));
  }

  private CompletionStage<RestResponse> inspect(AuthorizedRequest authorizedRequest) {
    return callExisting(authorizedRequest, NamedLock::holdersAsync)
        .thenApply(LocksResource::toResponse);
  }

  /** Calls a lock that exists. */
  private <R> CompletionStage<R> callExisting(
      AuthorizedRequest authorizedRequest, Function<NamedLock, CompletionStage<R>> use) {
    String name = objects.checkName(authorizedRequest.path("lock"));
    return objects.call(
        authorizedRequest.path("cache"),
        true,
        cacheObjects ->
            context
                .workers()
                .waitFor(authorizedRequest, () -> checkExists(cacheObjects, name))
                .thenCompose(
                    exists ->
                        cacheObjects
                            .locks()
                            .call(name, () -> openExisting(cacheObjects, name), use)));
  }

  /** A check of its own, because only this form of waiting is limited for each caller. */
  private static boolean checkExists(OfCache cacheObjects, String name) {
    if (!cacheObjects.factory().exists(name)) {
      throw Problem.notFound("lock", name);
    }
    return true;
  }

  /** Opens a lock. Reads and revocations may not create one, even if it went after the check. */
  private static NamedLock openExisting(OfCache cacheObjects, String name) {
    try {
      return cacheObjects.synchronizers().existing().namedLock(name);
    } catch (AtomicObjectException.NoSuchObject e) {
      throw Problem.notFound("lock", name);
    }
  }

  private static RestResponse toResponse(List<NamedLock.Holding> holdings) {
    List<Object> holders = new ArrayList<>();
    for (NamedLock.Holding holding : holdings) {
      holders.add(
          StrictJson.object("token", holding.token(), "leaseMillis", holding.lease().toMillis()));
    }
    return RestResponse.json(
        200, StrictJson.object("held", !holders.isEmpty(), "holders", holders));
  }

  /**
   * The holder as a name. Callers without the holder's text cannot guess the name, and other
   * callers cannot use it.
   */
  private static UUID deriveHolderId(AuthorizedRequest authorizedRequest, JsonFields fields) {
    String holder = fields.needed("holder");
    if (holder.isBlank() || holder.length() > LONGEST_HOLDER) {
      throw Problem.invalid("holder", "1 to %d characters".formatted(LONGEST_HOLDER), holder);
    }
    return IdempotencyKey.name(authorizedRequest.caller().name(), holder);
  }

  private CompletionStage<RestResponse> acquire(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "holder", "leaseMillis", "waitMillis");
    UUID holder = deriveHolderId(authorizedRequest, fields);
    int leaseMillis =
        fields
            .integer("leaseMillis", SHORTEST_LEASE_MILLIS, LONGEST_LEASE_MILLIS)
            .orElse(USUAL_LEASE_MILLIS);
    Duration wait =
        Duration.ofMillis(fields.integer("waitMillis", 0, LONGEST_WAIT_MILLIS).orElse(0));
    return callLock(
            authorizedRequest,
            lock -> lock.acquireAsync(holder, Duration.ofMillis(leaseMillis), wait))
        .thenApply(
            token ->
                toResponse(
                    token,
                    ProblemType.LOCK_HELD,
                    "the lock was not available within %d ms".formatted(wait.toMillis())));
  }

  private static RestResponse toResponse(OptionalLong token, ProblemType refusal, String detail) {
    if (token.isEmpty()) {
      throw Problem.of(refusal, detail);
    }
    return RestResponse.json(200, Map.of("token", token.getAsLong()));
  }

  private CompletionStage<RestResponse> renew(AuthorizedRequest authorizedRequest) {
    UUID holder = deriveHolderId(authorizedRequest, JsonFields.of(authorizedRequest, "holder"));
    return callLock(authorizedRequest, lock -> lock.renewAsync(holder))
        .thenApply(
            token ->
                toResponse(
                    token,
                    ProblemType.LEASE_LOST,
                    "the lease expired and another holder acquired the lock, or the lock was "
                        + "released or never held"));
  }

  private CompletionStage<RestResponse> release(AuthorizedRequest authorizedRequest) {
    UUID holder = deriveHolderId(authorizedRequest, JsonFields.of(authorizedRequest, "holder"));
    return callLock(authorizedRequest, lock -> lock.releaseAsync(holder))
        .thenApply(held -> RestResponse.json(200, Map.of("released", held)));
  }

  private CompletionStage<RestResponse> revoke(AuthorizedRequest authorizedRequest) {
    long token = JsonFields.of(authorizedRequest, "token").neededNumber("token", 1, Long.MAX_VALUE);
    return callExisting(authorizedRequest, lock -> lock.revokeAsync(token))
        .thenApply(
            fence ->
                RestResponse.json(
                    200,
                    fence.isPresent()
                        ? Map.of("revoked", true, "token", fence.getAsLong())
                        : Map.of("revoked", false)));
  }
}
