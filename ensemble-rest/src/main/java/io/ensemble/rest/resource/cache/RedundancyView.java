package io.ensemble.rest.resource.cache;

import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.rest.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The redundancy of caches in the form of responses. */
public final class RedundancyView {

  private RedundancyView() {}

  /** One cache: the number of intact replicas, and the missing ones with reasons. */
  static Map<String, Object> of(CacheRedundancy cache) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("asked", cache.asked());
    document.put("whole", cache.whole());
    document.put("needed", cache.needed());
    document.put("canLose", cache.canLose());
    document.put(
        "missing",
        cache.missing().stream()
            .map(
                replica ->
                    StrictJson.object(
                        "replica", replica.name(),
                        "state", replica.state().name().toLowerCase(Locale.ROOT),
                        "reason", replica.state().reason()))
            .toList());
    return document;
  }

  /** The summary of a cache's redundancy in the state of the federation. */
  public static Map<String, Object> summary(CacheRedundancy cache) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("sitesUp", cache.whole());
    document.put("sitesNeeded", cache.needed());
    document.put("canLose", cache.canLose());
    document.put("served", cache.isServed());
    return document;
  }

  /** The part of a distributed cache with the worst redundancy; the cache requires all parts. */
  public static Optional<CacheRedundancy> worst(List<CacheRedundancy> parts) {
    return parts.stream()
        .reduce(
            (worst, other) ->
                worst.isServed() && (!other.isServed() || other.canLose() < worst.canLose())
                    ? other
                    : worst);
  }
}
