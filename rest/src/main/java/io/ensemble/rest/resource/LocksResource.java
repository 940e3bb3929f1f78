package io.ensemble.rest.resource;

import io.ensemble.objects.sync.NamedLock;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.json.Fields;
import io.ensemble.rest.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Fenced locks on MWMR caches, for holders who name themselves: {@link NamedLock}. Any service
 * serves any holder, and every request may be sent again.
 */
final class LocksResource {

  private static final String TAG = "locks";
  private static final String PATH = "/caches/{cache}/locks/{lock}";
  private static final int LONGEST_HOLDER = 255;
  private static final int SHORTEST_LEASE_MILLIS = 500;
  private static final int LONGEST_LEASE_MILLIS = 3_600_000;
  private static final int USUAL_LEASE_MILLIS = 10_000;
  private static final int LONGEST_WAIT_MILLIS = 30_000;

  private final Federation federation;
  private final SharedObjects objects;

  LocksResource(Federation federation, SharedObjects objects) {
    this.federation = federation;
    this.objects = objects;
  }

  List<Route> routes() {
    int json = federation.limits().jsonBytes();
    return List.of(
        new Route(
            Method.GET,
            PATH,
            Role.READ,
            0,
            described("inspectLock", "Whether a lock is held, and with which token.")
                .json(200, "It", "Lock"),
            this::inspect),
        new Route(
            Method.POST,
            PATH + "/acquire",
            Role.WRITE,
            json,
            described(
                    "acquireLock",
                    "Acquires a lock for a holder, or renews it, if it has it. It is theirs for the"
                        + " lease, counted from before the request was sent.")
                .takes("application/json", "AcquireRequest")
                .json(200, "It is held", "Grant")
                .fails(ProblemType.LOCK_HELD, ProblemType.UNSUPPORTED_TYPE),
            this::acquire),
        new Route(
            Method.POST,
            PATH + "/renew",
            Role.WRITE,
            json,
            described("renewLock", "Shows that a holder lives: the lease begins anew.")
                .takes("application/json", "HolderRequest")
                .json(200, "It is held", "Grant")
                .fails(ProblemType.LEASE_LOST, ProblemType.UNSUPPORTED_TYPE),
            this::renew),
        new Route(
            Method.POST,
            PATH + "/release",
            Role.WRITE,
            json,
            described("releaseLock", "Gives a lock back.")
                .takes("application/json", "HolderRequest")
                .json(200, "Whether it was held", "Released")
                .fails(ProblemType.UNSUPPORTED_TYPE),
            this::release));
  }

  private static Described described(String id, String summary) {
    return Described.of(id, TAG, summary)
        .fails(ProblemType.CONFLICT, ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME);
  }

  /** Every request on a lock may be repeated. */
  private <R> CompletionStage<R> on(Call call, Function<NamedLock, CompletionStage<R>> use) {
    String name = objects.name(call.path("lock"));
    return objects.call(
        call.path("cache"),
        true,
        all -> all.locks().with(name, () -> all.synchronizers().namedLock(name), use));
  }

  private CompletionStage<Reply> inspect(Call call) {
    String name = objects.name(call.path("lock"));
    return objects
        .call(
            call.path("cache"),
            true,
            all -> federation.workers().waitFor(call, () -> all.factory().exists(name)))
        .thenCompose(
            there -> {
              if (!there) {
                throw Problem.notFound("lock", name);
              }
              return on(call, NamedLock::holdersAsync);
            })
        .thenApply(LocksResource::shown);
  }

  private static Reply shown(List<NamedLock.Holding> holdings) {
    List<Object> all = new ArrayList<>();
    for (NamedLock.Holding one : holdings) {
      all.add(Json.object("token", one.token(), "leaseMillis", one.lease().toMillis()));
    }
    return Reply.json(200, Json.object("held", !all.isEmpty(), "holders", all));
  }

  /** The holder, as a name that callers who do not know it cannot guess, nor others use. */
  private static UUID holder(Call call, Fields fields) {
    String holder = fields.needed("holder");
    if (holder.isBlank() || holder.length() > LONGEST_HOLDER) {
      throw Problem.invalid("holder", "1 to %d characters".formatted(LONGEST_HOLDER), holder);
    }
    return IdempotencyKey.name(call.caller().name(), holder);
  }

  private CompletionStage<Reply> acquire(Call call) {
    Fields fields = Fields.of(call, "holder", "leaseMillis", "waitMillis");
    UUID holder = holder(call, fields);
    int lease =
        fields
            .integer("leaseMillis", SHORTEST_LEASE_MILLIS, LONGEST_LEASE_MILLIS)
            .orElse(USUAL_LEASE_MILLIS);
    Duration wait =
        Duration.ofMillis(fields.integer("waitMillis", 0, LONGEST_WAIT_MILLIS).orElse(0));
    return on(call, lock -> lock.acquireAsync(holder, Duration.ofMillis(lease), wait))
        .thenApply(
            token ->
                granted(
                    token,
                    ProblemType.LOCK_HELD,
                    "it was not to be had within %d ms".formatted(wait.toMillis())));
  }

  private static Reply granted(OptionalLong token, ProblemType otherwise, String why) {
    if (token.isEmpty()) {
      throw Problem.of(otherwise, why);
    }
    return Reply.json(200, Map.of("token", token.getAsLong()));
  }

  private CompletionStage<Reply> renew(Call call) {
    UUID holder = holder(call, Fields.of(call, "holder"));
    return on(call, lock -> lock.renewAsync(holder))
        .thenApply(
            token ->
                granted(
                    token,
                    ProblemType.LEASE_LOST,
                    "the lease ended and somebody took it, or it was released, or never held"));
  }

  private CompletionStage<Reply> release(Call call) {
    UUID holder = holder(call, Fields.of(call, "holder"));
    return on(call, lock -> lock.releaseAsync(holder))
        .thenApply(held -> Reply.json(200, Map.of("released", held)));
  }
}
