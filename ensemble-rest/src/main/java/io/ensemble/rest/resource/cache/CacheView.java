package io.ensemble.rest.resource.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.PrimaryTerm;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.operation.OperationId;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Caches in the form of responses, with the names of LEADS D2.6, appendix C, where it has some. */
public final class CacheView {

  private CacheView() {}

  /** A cache of which only the definition is available. */
  public static Map<String, Object> of(CacheDefinition cache) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", cache.name());
    shown.put("replication", cache.siteNames().size());
    shown.put("consistency", cache.mode().name());
    shown.put("sites", cache.siteNames());
    shown.put("replicas", cache.sites());
    shown.put("acknowledgement", cache.acknowledgement().name().toLowerCase(Locale.ROOT));
    shown.put("deadlineMillis", cache.deadline().toMillis());
    shown.put("maxValueBytes", cache.maxValueBytes());
    shown.put("tombstoneGraceMillis", cache.tombstoneGrace().toMillis());
    shown.put("siblings", cache.siblings());
    shown.put(
        "window",
        StrictJson.object(
            "writes", cache.window().writes(), "ageMillis", cache.window().age().toMillis()));
    shown.put("privacy", cache.privacy().name().toLowerCase(Locale.ROOT));
    shown.put("guarantee", cache.guarantee());
    shown.put("survives", cache.mode().survives());
    return shown;
  }

  public static Map<String, Object> of(StoredDefinition stored) {
    CacheDefinition cache = stored.definition();
    Map<String, Object> shown = of(cache);
    shown.put("configuration", stored.configuration());
    shown.put(
        "withoutStore",
        cache.sites().stream().filter(site -> stored.store(site).isEmpty()).toList());
    stored
        .change()
        .ifPresent(
            change ->
                shown.put("operation", ResourceLinks.operation(OperationId.of(stored).text())));
    return shown;
  }

  /** A cache with its missing replicas. */
  public static Map<String, Object> of(StoredDefinition stored, CacheRedundancy redundancy) {
    Map<String, Object> shown = of(stored);
    shown.put("redundancy", RedundancyView.of(redundancy));
    return shown;
  }

  public static Map<String, Object> of(DistributedDefinition cache) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", cache.name());
    shown.put("caches", cache.parts());
    shown.put(
        "partitioner",
        StrictJson.object(
            "name", cache.partitioner().name(),
            "parameters", cache.partitioner().settings()));
    shown.put("frontier", cache.frontier());
    return shown;
  }

  public static Map<String, Object> of(PrimaryTerm term) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("epoch", term.epoch());
    shown.put("primary", term.primary());
    term.writer().ifPresent(writer -> shown.put("writer", writer.toString()));
    shown.put("active", term.active());
    shown.put("whole", term.whole());
    return shown;
  }
}
