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
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Caches in the form of responses, with the names of LEADS D2.6, appendix C, where it has some. */
public final class CacheView {

  private CacheView() {}

  /** A cache of which only the definition is available. */
  public static Map<String, Object> of(CacheDefinition cache) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", cache.name());
    document.put("replication", cache.siteNames().size());
    document.put("consistency", cache.mode().name());
    document.put("sites", cache.siteNames());
    document.put("replicas", cache.sites());
    document.put("acknowledgement", cache.acknowledgement().name().toLowerCase(Locale.ROOT));
    document.put("deadlineMillis", cache.deadline().toMillis());
    document.put("maxValueBytes", cache.maxValueBytes());
    document.put("tombstoneGraceMillis", cache.tombstoneGrace().toMillis());
    document.put("siblings", cache.siblings());
    document.put(
        "window",
        StrictJson.object(
            "writes", cache.window().writes(), "ageMillis", cache.window().age().toMillis()));
    document.put("privacy", cache.privacy().name().toLowerCase(Locale.ROOT));
    document.put("guarantee", cache.guarantee());
    document.put("survives", cache.mode().survives());
    return document;
  }

  /** The settings of a cache for the audit: without what follows from them. */
  static Map<String, Object> settings(CacheDefinition cache) {
    Map<String, Object> document = of(cache);
    document.keySet().removeAll(List.of("name", "replication", "guarantee", "survives"));
    return document;
  }

  /** The settings of a distributed cache for the audit. */
  static Map<String, Object> settings(DistributedDefinition cache) {
    Map<String, Object> document = of(cache);
    document.remove("name");
    return document;
  }

  public static Map<String, Object> of(StoredDefinition stored) {
    CacheDefinition cache = stored.definition();
    Map<String, Object> document = of(cache);
    document.put("configuration", stored.configuration());
    document.put(
        "withoutStore",
        cache.sites().stream().filter(site -> stored.store(site).isEmpty()).toList());
    stored
        .change()
        .ifPresent(
            change ->
                document.put("operation", ResourceLinks.operation(OperationId.of(stored).text())));
    return document;
  }

  /** A cache with its missing replicas. */
  public static Map<String, Object> of(StoredDefinition stored, CacheRedundancy redundancy) {
    Map<String, Object> document = of(stored);
    document.put("redundancy", RedundancyView.of(redundancy));
    return document;
  }

  public static Map<String, Object> of(DistributedDefinition cache) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", cache.name());
    document.put("caches", cache.parts());
    document.put(
        "partitioner",
        StrictJson.object(
            "name", cache.partitioner().name(),
            "parameters", cache.partitioner().settings()));
    document.put("frontier", cache.frontier());
    return document;
  }

  public static Map<String, Object> of(PrimaryTerm term) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("epoch", term.epoch());
    document.put("primary", term.primary());
    term.writer().ifPresent(writer -> document.put("writer", writer.toString()));
    document.put("active", term.active());
    document.put("whole", term.whole());
    return document;
  }
}
