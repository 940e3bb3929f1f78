package io.ensemble.rest.resource.cache;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.json.JsonFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/** The new definition of a cache, as a request states it; omitted settings keep their values. */
final class AlterCacheBody {

  static final String[] FIELDS = {
    "consistency",
    "sites",
    "replication",
    "replicas",
    "acknowledgement",
    "keysPerSecond",
    "caches",
    "partitioner",
    "deadlineMillis",
    "maxValueBytes",
    "tombstoneGraceMillis",
    "siblings",
    "window"
  };

  private static final int MOST_SITES = 64;

  private final JsonFields fields;

  AlterCacheBody(JsonFields fields) {
    this.fields = fields;
  }

  long keysPerSecond() {
    return fields.number("keysPerSecond", 0, Integer.MAX_VALUE).orElse(0);
  }

  /**
   * @param siteChooser chooses the best sites for a cache with a given number of replicas; blocks
   */
  CacheDefinition applyTo(CacheDefinition current, IntFunction<List<String>> siteChooser) {
    rejectFields("caches", "partitioner");
    Mode mode = fields.choice("consistency", Mode.class).orElse(current.mode());
    CacheDefinition.Builder builder =
        CacheDefinition.of(current.name(), mode)
            .sites(chooseSites(current, siteChooser))
            .deadline(current.deadline())
            .maxValueBytes(current.maxValueBytes())
            .tombstoneGrace(current.tombstoneGrace())
            .siblings(mode == current.mode() ? current.siblings() : 1)
            .privacy(current.privacy());
    if (current.acknowledgement().isFor(mode)) {
      builder.acknowledgement(current.acknowledgement());
    }
    fields.choice("acknowledgement", Acknowledgement.class).ifPresent(builder::acknowledgement);
    NumericCacheFields numericFields = new NumericCacheFields(fields);
    numericFields.applyTo(builder);
    Optional<CopyWindow> window = numericFields.window(current.window());
    return CreateCacheBody.buildDefinition(
        () -> {
          if (window.isPresent()) {
            return builder.window(window.get()).build();
          }
          CacheDefinition altered = builder.build();
          return altered.acknowledgement() == Acknowledgement.PRIMARY
              ? builder.window(current.window()).build()
              : altered;
        });
  }

  /**
   * The present replicas if the request gives neither sites nor numbers; otherwise the new sites.
   */
  private List<String> chooseSites(CacheDefinition cache, IntFunction<List<String>> siteChooser) {
    List<String> currentSites = cache.siteNames();
    OptionalInt replication = fields.integer("replication", 1, MOST_SITES);
    List<String> namedSites = fields.texts("sites", MOST_SITES).orElse(null);
    if (namedSites != null) {
      if (replication.isPresent() && replication.getAsInt() != namedSites.size()) {
        throw Problem.invalid(
            "replication",
            "%d, the number of 'sites', or no value".formatted(namedSites.size()),
            String.valueOf(replication.getAsInt()));
      }
      return namedSites;
    }
    if (replication.isEmpty()) {
      Mode mode = fields.choice("consistency", Mode.class).orElse(cache.mode());
      return fields.has("replicas") || mode != cache.mode() ? currentSites : cache.sites();
    }
    int copies = replication.getAsInt();
    if (copies <= currentSites.size()) {
      return currentSites.subList(0, copies);
    }
    List<String> extended = new ArrayList<>(currentSites);
    for (String site : siteChooser.apply(copies)) {
      if (extended.size() < copies && !extended.contains(site)) {
        extended.add(site);
      }
    }
    return extended;
  }

  DistributedDefinition applyTo(DistributedDefinition current) {
    rejectFields(
        "consistency",
        "sites",
        "replication",
        "replicas",
        "acknowledgement",
        "keysPerSecond",
        "window");
    rejectFields(NumericCacheFields.FIELDS);
    List<String> parts =
        fields.texts("caches", DistributedDefinition.MOST_PARTS).orElse(current.parts());
    PartitionerSpec spec = CreateCacheBody.partitioner(fields).orElse(current.partitioner());
    return CreateCacheBody.buildChecked(
        "caches", () -> new DistributedDefinition(current.name(), parts, spec, current.frontier()));
  }

  private void rejectFields(String... inapplicable) {
    for (String field : inapplicable) {
      if (fields.has(field)) {
        throw Problem.invalid(field, "no value, because the cache is of the other kind", "a value");
      }
    }
  }
}
