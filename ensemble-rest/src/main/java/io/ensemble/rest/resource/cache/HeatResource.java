package io.ensemble.rest.resource.cache;

import io.ensemble.heat.HeatMap;
import io.ensemble.heat.HeatMap.EstimatedCount;
import io.ensemble.heat.HeatMap.ValueSizes;
import io.ensemble.heat.HeatMaps;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.RestContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** The heat maps of caches. Names of keys are shown, so a caller must be able to read the cache. */
public final class HeatResource {

  private static final int USUAL_MINUTES = 10;
  private static final int USUAL_KEYS = 10;

  private final RestContext context;
  private final HeatMaps maps;

  public HeatResource(RestContext context) {
    this.context = context;
    this.maps = HeatMaps.of(context.manager());
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/heat",
            Role.READ,
            0,
            RouteDescription.of(
                    "readHeatMap",
                    "caches",
                    "Returns the keys that are used most, the mix of reads and writes, the sizes "
                        + "of values and the load of each site, by all processes that record "
                        + "their operations. Keys of private caches are shown as HMACs.")
                .query("minutes", "HeatMinutes", "The length of the period; default: 10.")
                .query("top", "HeatKeys", "The maximum number of keys; default: 10.")
                .json(200, "The heat map, without operations if no process recorded any", "HeatMap")
                .fails(ProblemType.SITES_UNAVAILABLE),
            this::read));
  }

  private CompletionStage<RestResponse> read(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int minutes = number(head, "minutes", USUAL_MINUTES, (int) HeatMaps.LONGEST.toMinutes());
    int top = number(head, "top", USUAL_KEYS, HeatMaps.MOST_KEYS);
    String cache = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(authorizedRequest, () -> RestResponse.json(200, read(cache, minutes, top)));
  }

  private static int number(RequestHead head, String name, int usual, int most) {
    String text = head.query(name).orElse(String.valueOf(usual));
    try {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below like a number out of bounds.
    }
    throw Problem.invalid(name, "an integer from 1 to %d".formatted(most), text);
  }

  private Map<String, Object> read(String cache, int minutes, int top) {
    if (!context.manager().getCacheNames().contains(cache)) {
      throw Problem.notFound("cache", cache);
    }
    return document(maps.read(cache, Duration.ofMinutes(minutes), top));
  }

  private static Map<String, Object> document(HeatMap map) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("cache", map.cache());
    document.put("from", map.from().toString());
    document.put("to", map.to().toString());
    document.put("processes", map.processes());
    document.put("reads", map.reads());
    document.put("writes", map.writes());
    document.put(
        "keys",
        map.keys().stream()
            .map(key -> StrictJson.object("key", key.key(), "operations", count(key.operations())))
            .toList());
    document.put("distinctKeys", count(map.distinctKeys()));
    ValueSizes sizes = map.sizes();
    if (sizes != null) {
      document.put(
          "valueBytes",
          StrictJson.object("p50", sizes.p50(), "p99", sizes.p99(), "largest", sizes.largest()));
    }
    document.put(
        "sites",
        map.sites().stream()
            .map(
                site -> {
                  Map<String, Object> load = new LinkedHashMap<>();
                  load.put("site", site.site());
                  load.put("reads", site.reads());
                  load.put("writes", site.writes());
                  load.put("share", site.share());
                  return load;
                })
            .toList());
    document.put(
        "origins",
        map.origins().stream()
            .map(
                origin -> {
                  Map<String, Object> one = new LinkedHashMap<>();
                  one.put("site", origin.site());
                  one.put("processes", origin.processes());
                  one.put("reads", origin.reads());
                  one.put("writes", origin.writes());
                  one.put("roundTripMillis", new TreeMap<>(origin.roundTripMillis()));
                  return one;
                })
            .toList());
    document.put("intervalSeconds", map.interval().toSeconds());
    document.put(
        "intervals",
        map.intervals().stream()
            .map(
                interval -> {
                  Map<String, Object> one = new LinkedHashMap<>();
                  one.put("start", interval.start().toString());
                  one.put("reads", interval.reads());
                  one.put("writes", interval.writes());
                  one.put("keys", interval.keys());
                  return one;
                })
            .toList());
    document.put("unreadable", map.unreadable());
    document.put("complete", map.isComplete());
    return document;
  }

  private static Map<String, Object> count(EstimatedCount count) {
    return StrictJson.object(
        "estimate", count.estimate(), "lower", count.lower(), "upper", count.upper());
  }
}
