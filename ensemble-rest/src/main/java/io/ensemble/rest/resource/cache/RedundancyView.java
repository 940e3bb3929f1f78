package io.ensemble.rest.resource.cache;

import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.rest.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** How redundant caches are, as answers show it. */
public final class RedundancyView {

  private RedundancyView() {}

  /** Of one cache: how many replicas are whole, and which are missing and why. */
  static Map<String, Object> of(CacheRedundancy cache) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("asked", cache.asked());
    shown.put("whole", cache.whole());
    shown.put("needed", cache.needed());
    shown.put("canLose", cache.canLose());
    shown.put(
        "missing",
        cache.missing().stream()
            .map(
                replica ->
                    StrictJson.object(
                        "replica", replica.name(),
                        "state", replica.state().name().toLowerCase(Locale.ROOT),
                        "reason", replica.state().reason()))
            .toList());
    return shown;
  }

  /** What the federation's state says of a cache besides. */
  public static Map<String, Object> summary(CacheRedundancy cache) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("sitesUp", cache.whole());
    shown.put("sitesNeeded", cache.needed());
    shown.put("canLose", cache.canLose());
    shown.put("served", cache.isServed());
    return shown;
  }

  /** Of the parts of a cache, each of which has to be there, the one that stands worst. */
  public static Optional<CacheRedundancy> worst(List<CacheRedundancy> parts) {
    return parts.stream()
        .reduce(
            (worst, other) ->
                worst.isServed() && (!other.isServed() || other.canLose() < worst.canLose())
                    ? other
                    : worst);
  }
}
