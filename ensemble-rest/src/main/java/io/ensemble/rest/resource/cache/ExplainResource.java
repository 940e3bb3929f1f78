package io.ensemble.rest.resource.cache;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EntryView;
import io.ensemble.SiteView;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.EntriesResource;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** Explanations: the content of a key at each site, and the reasons for a cache's sites. */
public final class ExplainResource {

  private static final String TAG = "explain";

  private final RestContext federation;

  public ExplainResource(RestContext federation) {
    this.federation = federation;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/explain/{key}",
            Role.READ,
            0,
            RouteDescription.of(
                    "explainKey",
                    TAG,
                    "Returns the entry of a key at each site, as the sites store it.")
                .json(200, "The entry at each site", "KeyExplained"),
            this::key),
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/entries/{key}/stamps",
            Role.READ,
            0,
            RouteDescription.of(
                    "stampsOfKey",
                    TAG,
                    "Returns the stamp of a key at each site, as the sites store it.")
                .json(200, "The stamp at each site", "KeyExplained"),
            this::key),
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/placement",
            Role.READ,
            0,
            RouteDescription.of(
                    "explainPlacement",
                    TAG,
                    "Explains where a cache was placed when it was created, and where it would be "
                        + "placed now.")
                .json(200, "Both decisions, with a reason for each site", "PlacementExplained"),
            authorizedRequest ->
                federation.workers().reply(authorizedRequest, () -> placement(authorizedRequest))));
  }

  private CompletionStage<RestResponse> key(AuthorizedRequest authorizedRequest) {
    String key = EntriesResource.key(authorizedRequest, federation.limits().keyBytes());
    return federation
        .workers()
        .reply(
            authorizedRequest,
            () -> explained(authorizedRequest.path("cache"), key, authorizedRequest.caller()));
  }

  private RestResponse explained(String cache, String key, RestCaller caller) {
    return federation.waitingOn(cache, open -> explained(open, key, caller));
  }

  private RestResponse explained(
      EnsembleCache<Object, Object> cache, String key, RestCaller caller) {
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
    return RestResponse.json(200, shown);
  }

  private static Map<String, Object> shown(
      SiteView view, Optional<Stamp> latest, RestCaller caller) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("site", view.site());
    shown.put("answered", view.failure().isEmpty());
    shown.put("millis", view.took().toNanos() / 1e6);
    view.store().ifPresent(store -> shown.put("store", store));
    view.failure()
        .ifPresent(why -> shown.put("why", caller.seesSites() ? why : "the site did not answer"));
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

  /**
   * The placement of a cache. A caller without the right to read the federation sees the cache's
   * sites, but not other sites and reasons.
   */
  private RestResponse placement(AuthorizedRequest authorizedRequest) {
    String cache = authorizedRequest.path("cache");
    StoredDefinition stored =
        federation.manager().stored(cache).orElseThrow(() -> Problem.notFound("cache", cache));
    List<String> sites = stored.definition().siteNames();
    if (!authorizedRequest.caller().seesSites()) {
      return RestResponse.json(200, Map.of("cache", cache, "sites", sites));
    }
    Optional<StoredPlacement> kept = federation.manager().placement(cache);
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cache", cache);
    shown.put("sites", sites);
    kept.ifPresent(
        then ->
            shown.put("then", StrictJson.object("sites", then.sites(), "reasons", then.reasons())));
    PlacementPolicy wish =
        kept.map(StoredPlacement::wish)
            .orElseGet(() -> PlacementPolicy.copies(cache, sites.size()).build());
    shown.put("now", now(wish));
    return RestResponse.json(200, shown);
  }

  private Map<String, Object> now(PlacementPolicy wish) {
    try {
      var placed = federation.manager().place(wish);
      return StrictJson.object("sites", placed.sites(), "reasons", placed.text().lines().toList());
    } catch (PlacementImpossibleException impossible) {
      List<String> reasons = new ArrayList<>();
      new TreeMap<>(impossible.reasons()).forEach((site, why) -> reasons.add(site + ": " + why));
      return StrictJson.object("sites", List.of(), "reasons", reasons);
    }
  }
}
