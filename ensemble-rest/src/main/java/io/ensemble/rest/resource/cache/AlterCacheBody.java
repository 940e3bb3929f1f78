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

  long rate() {
    return fields.number("keysPerSecond", 0, Integer.MAX_VALUE).orElse(0);
  }

  /**
   * @param chosen chooses the best sites for a cache with a given number of replicas; blocks
   */
  CacheDefinition of(CacheDefinition now, IntFunction<List<String>> chosen) {
    refuse("caches", "partitioner");
    Mode wanted = fields.choice("consistency", Mode.class).orElse(now.mode());
    CacheDefinition.Builder builder =
        CacheDefinition.of(now.name(), wanted)
            .sites(sites(now, chosen))
            .deadline(now.deadline())
            .maxValueBytes(now.maxValueBytes())
            .tombstoneGrace(now.tombstoneGrace())
            .siblings(wanted == now.mode() ? now.siblings() : 1)
            .privacy(now.privacy());
    if (now.acknowledgement().isFor(wanted)) {
      builder.acknowledgement(now.acknowledgement());
    }
    fields.choice("acknowledgement", Acknowledgement.class).ifPresent(builder::acknowledgement);
    NumericCacheFields amounts = new NumericCacheFields(fields);
    amounts.into(builder);
    Optional<CopyWindow> window = amounts.window(now.window());
    return CreateCacheBody.definition(
        () -> {
          if (window.isPresent()) {
            return builder.window(window.get()).build();
          }
          CacheDefinition to = builder.build();
          return to.acknowledgement() == Acknowledgement.PRIMARY
              ? builder.window(now.window()).build()
              : to;
        });
  }

  /**
   * The present replicas if the request gives neither sites nor numbers; otherwise the new sites.
   */
  private List<String> sites(CacheDefinition cache, IntFunction<List<String>> chosen) {
    List<String> now = cache.siteNames();
    OptionalInt replication = fields.integer("replication", 1, MOST_SITES);
    List<String> named = fields.texts("sites", MOST_SITES).orElse(null);
    if (named != null) {
      if (replication.isPresent() && replication.getAsInt() != named.size()) {
        throw Problem.invalid(
            "replication",
            "%d, the number of 'sites', or no value".formatted(named.size()),
            String.valueOf(replication.getAsInt()));
      }
      return named;
    }
    if (replication.isEmpty()) {
      Mode mode = fields.choice("consistency", Mode.class).orElse(cache.mode());
      return fields.has("replicas") || mode != cache.mode() ? now : cache.sites();
    }
    int copies = replication.getAsInt();
    if (copies <= now.size()) {
      return now.subList(0, copies);
    }
    List<String> more = new ArrayList<>(now);
    for (String site : chosen.apply(copies)) {
      if (more.size() < copies && !more.contains(site)) {
        more.add(site);
      }
    }
    return more;
  }

  DistributedDefinition of(DistributedDefinition now) {
    refuse(
        "consistency",
        "sites",
        "replication",
        "replicas",
        "acknowledgement",
        "keysPerSecond",
        "window");
    refuse(NumericCacheFields.FIELDS);
    List<String> parts =
        fields.texts("caches", DistributedDefinition.MOST_PARTS).orElse(now.parts());
    PartitionerSpec spec = CreateCacheBody.partitioner(fields).orElse(now.partitioner());
    return CreateCacheBody.checked(
        "caches", () -> new DistributedDefinition(now.name(), parts, spec, now.frontier()));
  }

  private void refuse(String... foreign) {
    for (String field : foreign) {
      if (fields.has(field)) {
        throw Problem.invalid(field, "no value, because the cache is of the other kind", "a value");
      }
    }
  }
}
