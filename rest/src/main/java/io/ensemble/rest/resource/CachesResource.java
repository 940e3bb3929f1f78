package io.ensemble.rest.resource;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.placement.Wish;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The caches that there are: what they are, and what they shall be. */
final class CachesResource {

  private static final String TAG = "caches";

  private final Federation federation;

  CachesResource(Federation federation) {
    this.federation = federation;
  }

  List<Route> routes() {
    return List.of(
        new Route(
                Method.GET,
                "/caches",
                Role.SEE,
                0,
                described("listCaches", "All caches that the caller may see.")
                    .json(200, "Them", "Caches"),
                call -> federation.workers().reply(call, () -> list(call.caller())))
            .ofEach(),
        new Route(
            Method.GET,
            "/caches/{cache}",
            Role.SEE,
            0,
            described("inspectCache", "What a cache is, promises, and which replicas are missing.")
                .json(200, "It", "Cache"),
            call -> federation.workers().reply(call, () -> inspect(call.path("cache")))),
        new Route(
            Method.PATCH,
            "/caches/{cache}",
            Role.ADMIN,
            federation.limits().jsonBytes(),
            described(
                    "alterCache",
                    "Gives a cache other sites, another mode or other parts while it is used. An"
                        + " operation; the same one is joined.")
                .takes("application/json", "AlterRequest")
                .gives("Location", "Its address.")
                .json(202, "It has begun", "Operation")
                .json(200, "It is so already", "Cache")
                .fails(
                    ProblemType.CHANGE_UNDER_WAY,
                    ProblemType.CONFLICT,
                    ProblemType.PLACEMENT_IMPOSSIBLE,
                    ProblemType.UNSUPPORTED_TYPE),
            this::alter),
        new Route(
            Method.DELETE,
            "/caches/{cache}",
            Role.ADMIN,
            0,
            described(
                    "deleteCache",
                    "Deletes a cache and all that it holds, for everyone; with its shards.")
                .empty(204, "It is deleted")
                .fails(ProblemType.CONFLICT),
            call -> federation.workers().reply(call, () -> delete(call.path("cache")))));
  }

  private static Described described(String id, String summary) {
    return Described.of(id, TAG, summary);
  }

  private EnsembleCacheManager manager() {
    return federation.manager();
  }

  private Reply list(Caller caller) {
    List<Object> all = new ArrayList<>();
    for (String name : manager().getCacheNames()) {
      if (caller.may(Role.SEE, name)) {
        view(name).ifPresent(all::add);
      }
    }
    return Reply.json(200, Map.of("caches", all));
  }

  private Optional<Map<String, Object>> view(String name) {
    return manager()
        .stored(name)
        .map(CacheView::of)
        .or(() -> manager().distribution(name).map(CacheView::of));
  }

  private Reply inspect(String name) {
    return Reply.json(
        200,
        manager()
            .stored(name)
            .map(stored -> CacheView.of(stored, manager().knownRedundancy(stored)))
            .or(() -> manager().distribution(name).map(CacheView::of))
            .orElseThrow(() -> Problem.notFound("cache", name)));
  }

  private Reply delete(String name) {
    List<String> shards = manager().shards(name);
    federation.forget(name);
    shards.forEach(federation::forget);
    if (!manager().deleteCache(name)) {
      throw Problem.notFound("cache", name);
    }
    federation.deleted(name);
    shards.forEach(federation::deleted);
    return Reply.noContent();
  }

  private CompletionStage<Reply> alter(Call call) {
    AlterBody body = new AlterBody(Fields.of(call, AlterBody.FIELDS));
    String name = call.path("cache");
    return federation
        .workers()
        .reply(
            call,
            () -> {
              Optional<StoredDefinition> stored = manager().stored(name);
              return stored.isPresent()
                  ? altered(stored.get(), body, call.caller())
                  : dealtOut(name, body, call.caller());
            });
  }

  private Reply altered(StoredDefinition stored, AlterBody body, Caller caller) {
    CacheDefinition now = stored.definition();
    CacheDefinition to = body.of(now, copies -> best(now, copies));
    federation.checkKnown(to.siteNames(), now.siteNames(), caller);
    if (to.equals(now) && stored.change().isEmpty()) {
      return Reply.json(200, CacheView.of(stored));
    }
    Repeatable.change(() -> manager().changes().alter(to, body.rate()));
    StoredDefinition present = Repeatable.look(() -> manager().stored(now.name()).orElse(stored));
    if (present.change().isEmpty()) {
      return Reply.json(200, CacheView.of(present)); // It was over before it could be looked at.
    }
    return Reply.json(202, OperationView.of(present))
        .with("Location", Links.operation(OperationId.of(present).text()));
  }

  private List<String> best(CacheDefinition now, int copies) {
    Wish wish =
        Wish.copies(now.name(), copies).prefer(now.siteNames().toArray(String[]::new)).build();
    return manager().place(wish).sites();
  }

  private Reply dealtOut(String name, AlterBody body, Caller caller) {
    DistributedDefinition now =
        manager().distribution(name).orElseThrow(() -> Problem.notFound("cache", name));
    DistributedDefinition to = body.of(now);
    CreationResource.checkParts(caller, to.parts());
    if (to.equals(now) && manager().parts().underWay(name).isEmpty()) {
      return Reply.json(200, CacheView.of(now));
    }
    Repeatable.change(() -> manager().parts().alter(to));
    return Repeatable.look(() -> manager().parts().underWay()).stream()
        .filter(stored -> stored.definition().name().equals(name))
        .findFirst()
        .map(
            growing ->
                Reply.json(202, OperationView.of(growing))
                    .with("Location", Links.operation(OperationId.of(growing).text())))
        .orElseGet(() -> Reply.json(200, CacheView.of(to)));
  }
}
