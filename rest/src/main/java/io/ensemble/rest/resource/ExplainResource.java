package io.ensemble.rest.resource;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EntryView;
import io.ensemble.SiteView;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.StoredPlacement;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.Wish;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.json.Json;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** Why things are as they are: what each site holds of a key, why a cache is at its sites. */
final class ExplainResource {

  private static final String TAG = "explain";

  private final Federation federation;

  ExplainResource(Federation federation) {
    this.federation = federation;
  }

  List<Route> routes() {
    return List.of(
        new Route(
            Method.GET,
            "/caches/{cache}/explain/{key}",
            Role.READ,
            0,
            Described.of(
                    "explainKey",
                    TAG,
                    "What each site holds of a key, read from the sites, whatever the cache"
                        + " answers.")
                .json(200, "One view for each site", "KeyExplained"),
            this::key),
        new Route(
            Method.GET,
            "/caches/{cache}/entries/{key}/stamps",
            Role.READ,
            0,
            Described.of("stampsOfKey", TAG, "The same: a key's stamp at every site.")
                .json(200, "One view for each site", "KeyExplained"),
            this::key),
        new Route(
            Method.GET,
            "/caches/{cache}/placement",
            Role.READ,
            0,
            Described.of(
                    "explainPlacement",
                    TAG,
                    "What was decided when a cache was placed, and what would be now.")
                .json(200, "Both, with a reason for each site", "PlacementExplained"),
            call -> federation.workers().reply(call, () -> placement(call))));
  }

  private CompletionStage<Reply> key(Call call) {
    String key = EntriesResource.key(call, federation.limits().keyBytes());
    return federation
        .workers()
        .reply(call, () -> explained(call.path("cache"), key, call.caller()));
  }

  private Reply explained(String cache, String key, Caller caller) {
    return federation.waitingOn(cache, open -> explained(open, key, caller));
  }

  private Reply explained(EnsembleCache<Object, Object> cache, String key, Caller caller) {
    EnsembleCache<Object, Object> part = cache;
    while (part instanceof DistributedEnsembleCache<Object, Object> distributed) {
      part = distributed.locate(key);
    }
    String name = part.getName();
    List<SiteView> views = federation.manager().explain(name, key);
    Optional<Stamp> latest =
        views.stream()
            .flatMap(view -> view.entry().stream())
            .map(EntryView::stamp)
            .max(Comparator.naturalOrder());
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cache", name);
    shown.put("key", key);
    shown.put("sites", views.stream().map(view -> shown(view, latest, caller)).toList());
    return Reply.json(200, shown);
  }

  private static Map<String, Object> shown(SiteView view, Optional<Stamp> latest, Caller caller) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("site", view.site());
    shown.put("answered", view.failure().isEmpty());
    shown.put("millis", view.took().toNanos() / 1e6);
    view.store().ifPresent(store -> shown.put("store", store));
    view.failure()
        .ifPresent(why -> shown.put("why", caller.seesSites() ? why : "it did not answer"));
    if (view.failure().isEmpty()) {
      shown.put(
          "state",
          view.entry().map(there -> there.removed() ? "removed" : "value").orElse("absent"));
    }
    view.entry()
        .ifPresent(
            entry -> {
              shown.put("stamp", entry.stamp().toString());
              shown.put("latest", latest.filter(entry.stamp()::equals).isPresent());
              shown.put("bytes", entry.bytes());
              shown.put("digest", entry.digest());
              shown.put("protocol", entry.state());
              entry.end().ifPresent(end -> shown.put("expires", end.toString()));
            });
    return shown;
  }

  /** Who may not read the federation sees where the cache is, not what else there is and why. */
  private Reply placement(Call call) {
    String cache = call.path("cache");
    StoredDefinition stored =
        federation.manager().stored(cache).orElseThrow(() -> Problem.notFound("cache", cache));
    List<String> sites = stored.definition().siteNames();
    if (!call.caller().seesSites()) {
      return Reply.json(200, Map.of("cache", cache, "sites", sites));
    }
    Optional<StoredPlacement> kept = federation.manager().placement(cache);
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cache", cache);
    shown.put("sites", sites);
    kept.ifPresent(
        then -> shown.put("then", Json.object("sites", then.sites(), "reasons", then.reasons())));
    Wish wish =
        kept.map(StoredPlacement::wish).orElseGet(() -> Wish.copies(cache, sites.size()).build());
    shown.put("now", now(wish));
    return Reply.json(200, shown);
  }

  private Map<String, Object> now(Wish wish) {
    try {
      var placed = federation.manager().place(wish);
      return Json.object("sites", placed.sites(), "reasons", placed.text().lines().toList());
    } catch (PlacementImpossibleException impossible) {
      List<String> reasons = new ArrayList<>();
      new TreeMap<>(impossible.reasons()).forEach((site, why) -> reasons.add(site + ": " + why));
      return Json.object("sites", List.of(), "reasons", reasons);
    }
  }
}
