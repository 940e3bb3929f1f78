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

  private final RestContext context;

  public ExplainResource(RestContext context) {
    this.context = context;
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
            this::explainKey),
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
            this::explainKey),
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
                context
                    .workers()
                    .reply(authorizedRequest, () -> explainPlacement(authorizedRequest))));
  }

  private CompletionStage<RestResponse> explainKey(AuthorizedRequest authorizedRequest) {
    String key = EntriesResource.readKey(authorizedRequest, context.limits().keyBytes());
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> explain(authorizedRequest.path("cache"), key, authorizedRequest.caller()));
  }

  private RestResponse explain(String cache, String key, RestCaller caller) {
    return context.callCacheBlocking(cache, open -> explain(open, key, caller));
  }

  private RestResponse explain(EnsembleCache<Object, Object> cache, String key, RestCaller caller) {
    EnsembleCache<Object, Object> part = cache;
    while (part instanceof DistributedEnsembleCache<Object, Object> distributed) {
      part = distributed.locate(key);
    }
    String name = part.getName();
    List<SiteView> views = context.manager().explain(name, key);
    Optional<Stamp> latest =
        views.stream()
            .flatMap(view -> view.entry().stream())
            .map(EntryView::stamp)
            .max(Comparator.naturalOrder());
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("cache", name);
    document.put("key", key);
    document.put("sites", views.stream().map(view -> toDocument(view, latest, caller)).toList());
    return RestResponse.json(200, document);
  }

  private static Map<String, Object> toDocument(
      SiteView view, Optional<Stamp> latest, RestCaller caller) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("site", view.site());
    document.put("answered", view.failure().isEmpty());
    document.put("millis", view.took().toNanos() / 1e6);
    view.store().ifPresent(store -> document.put("store", store));
    view.failure()
        .ifPresent(
            why -> document.put("why", caller.seesSites() ? why : "the site did not answer"));
    if (view.failure().isEmpty()) {
      document.put(
          "state",
          view.entry().map(entry -> entry.removed() ? "removed" : "value").orElse("absent"));
    }
    view.entry()
        .ifPresent(
            entry -> {
              document.put("stamp", entry.stamp().toString());
              document.put("latest", latest.filter(entry.stamp()::equals).isPresent());
              document.put("bytes", entry.bytes());
              document.put("digest", entry.digest());
              document.put("protocol", entry.state());
              entry.end().ifPresent(end -> document.put("expires", end.toString()));
            });
    return document;
  }

  /**
   * The placement of a cache. A caller without the right to read the federation sees the cache's
   * sites, but not other sites and reasons.
   */
  private RestResponse explainPlacement(AuthorizedRequest authorizedRequest) {
    String cache = authorizedRequest.path("cache");
    StoredDefinition definition =
        context.manager().stored(cache).orElseThrow(() -> Problem.notFound("cache", cache));
    List<String> sites = definition.definition().siteNames();
    if (!authorizedRequest.caller().seesSites()) {
      return RestResponse.json(200, Map.of("cache", cache, "sites", sites));
    }
    Optional<StoredPlacement> storedPlacement = context.manager().placement(cache);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("cache", cache);
    document.put("sites", sites);
    storedPlacement.ifPresent(
        decision ->
            document.put(
                "then",
                StrictJson.object("sites", decision.sites(), "reasons", decision.reasons())));
    PlacementPolicy policy =
        storedPlacement
            .map(StoredPlacement::wish)
            .orElseGet(() -> PlacementPolicy.copies(cache, sites.size()).build());
    document.put("now", placeNow(policy));
    return RestResponse.json(200, document);
  }

  private Map<String, Object> placeNow(PlacementPolicy policy) {
    try {
      var placement = context.manager().place(policy);
      return StrictJson.object(
          "sites", placement.sites(), "reasons", placement.text().lines().toList());
    } catch (PlacementImpossibleException impossible) {
      List<String> reasons = new ArrayList<>();
      new TreeMap<>(impossible.reasons()).forEach((site, why) -> reasons.add(site + ": " + why));
      return StrictJson.object("sites", List.of(), "reasons", reasons);
    }
  }
}
