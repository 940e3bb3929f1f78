package io.ensemble.deploy;

import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.deploy.federation.Federation;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "describe", description = "Show what a cache is, promises, and where it lives.")
final class CachesDescribeCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Override
  public Integer call() {
    try (Federation connected = federation.connect()) {
      Optional<DistributedDefinition> distribution = connected.manager().distribution(name);
      if (distribution.isPresent()) {
        DistributionReport settled = DistributionReport.of(distribution.get());
        DistributionReport distributed =
            connected
                .manager()
                .parts()
                .underWay(name)
                .map(settled::with)
                .orElse(settled)
                .withShards(redundancyOfShards(connected.manager(), name));
        reporting.report(distributed, out -> show(out, distributed));
        return ExitCode.OK;
      }
      StoredDefinition stored =
          connected.manager().stored(name).orElseThrow(() -> connected.noSuchCache(name));
      CacheReport cache =
          CacheReport.of(stored)
              .withRedundancy(RedundancyReport.of(connected.manager().checkRedundancy(name)));
      if (stored.definition().mode() == Mode.SWMR) {
        cache = cache.withTerm(TermReport.of(connected.manager(), name));
      }
      CacheReport described = cache;
      reporting.report(described, out -> show(out, described));
      return ExitCode.OK;
    }
  }

  /**
   * The redundancy of each shard, null for one that is missing; null if the cache has no shards.
   */
  private static @Nullable Map<String, @Nullable RedundancyReport> redundancyOfShards(
      EnsembleCacheManager manager, String cache) {
    List<String> names = manager.shards(cache);
    if (names.isEmpty()) {
      return null;
    }
    Map<String, @Nullable RedundancyReport> shards = new LinkedHashMap<>();
    for (String shard : names) {
      shards.put(
          shard,
          manager
              .stored(shard)
              .map(stored -> RedundancyReport.of(manager.checkRedundancy(shard)))
              .orElse(null));
    }
    return shards;
  }

  private static void show(PrintWriter out, DistributionReport cache) {
    Table.line(out, "cache", cache.name());
    Table.line(out, "mode", cache.mode());
    Table.line(out, "parts", String.join(",", cache.parts()));
    Map<String, @Nullable RedundancyReport> shards = cache.shards();
    if (shards != null) {
      shards.forEach(
          (shard, redundancy) ->
              Table.line(
                  out,
                  "shard",
                  "%s: %s"
                      .formatted(
                          shard,
                          redundancy == null
                              ? "MISSING: a deletion of the cache was interrupted"
                              : redundancy.text())));
    }
    Table.line(out, "partitioner", cache.by());
    Table.line(
        out, "frontier", cache.frontier() ? "yes: reads find what is at the local site" : "no");
    DistributionReport.Growing growing = cache.growing();
    if (growing != null) {
      Table.line(
          out,
          "changes to",
          "%s; %s, done: %s"
              .formatted(String.join(",", growing.to()), growing.step(), growing.moved()));
    }
  }

  private static void show(PrintWriter out, CacheReport cache) {
    Table.line(out, "cache", cache.name());
    Table.line(out, "mode", cache.mode());
    Table.line(out, "guarantee", cache.guarantee());
    Table.line(out, "survives", cache.survives());
    Table.line(out, "acknowledged by", cache.acknowledgement());
    Table.line(out, "deadline", cache.deadlineMillis() + " ms");
    Table.line(out, "largest value", cache.maxValueBytes() + " bytes");
    Table.line(out, "tombstone grace", cache.tombstoneGraceMillis() + " ms");
    Integer siblings = cache.siblings();
    if (siblings != null) {
      Table.line(out, "siblings", siblings + " at most");
    }
    String encrypted = cache.encrypted();
    if (encrypted != null) {
      Table.line(out, "encrypted", encrypted);
    }
    TermReport term = cache.term();
    if (term != null) {
      Table.line(out, "primary", term.text());
      Table.line(out, "writer", term.writer() == null ? "none" : term.writer());
    }
    Table.line(out, "configuration", cache.configuration() + ", revision " + cache.revision());
    RedundancyReport redundancy = cache.redundancy();
    if (redundancy != null) {
      Table.line(out, "replicas", redundancy.text());
    }
    cache
        .stores()
        .forEach(
            (replica, store) ->
                Table.line(
                    out,
                    "at " + replica,
                    store == null
                        ? lost(cache, replica)
                        : store + (redundancy == null ? "" : ", " + redundancy.text(replica))));
  }

  private static String lost(CacheReport cache, String site) {
    List<String> counted = cache.counted();
    return counted == null || counted.contains(site)
        ? "lost, counts as down"
        : "goes on without it, until it is recovered";
  }
}
