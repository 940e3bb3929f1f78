package io.ensemble.cli.caches;

import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
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

@Command(
    name = "describe",
    description = "Show the settings of a cache, its guarantee and its sites.")
final class CachesDescribeCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
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
    TextTable.line(out, "cache", cache.name());
    TextTable.line(out, "mode", cache.mode());
    TextTable.line(out, "parts", String.join(",", cache.parts()));
    Map<String, @Nullable RedundancyReport> shards = cache.shards();
    if (shards != null) {
      shards.forEach(
          (shard, redundancy) ->
              TextTable.line(
                  out,
                  "shard",
                  "%s: %s"
                      .formatted(
                          shard,
                          redundancy == null
                              ? "MISSING: a deletion of the cache was interrupted"
                              : redundancy.text())));
    }
    TextTable.line(out, "partitioner", cache.partitionerText());
    TextTable.line(
        out,
        "frontier",
        cache.frontier() ? "yes: reads return only entries of the local site" : "no");
    DistributionReport.RepartitionReport growing = cache.growing();
    if (growing != null) {
      TextTable.line(
          out,
          "changes to",
          "%s; %s, done: %s"
              .formatted(String.join(",", growing.to()), growing.step(), growing.moved()));
    }
  }

  private static void show(PrintWriter out, CacheReport cache) {
    TextTable.line(out, "cache", cache.name());
    TextTable.line(out, "mode", cache.mode());
    TextTable.line(out, "guarantee", cache.guarantee());
    TextTable.line(out, "survives", cache.survives());
    TextTable.line(out, "acknowledged by", cache.acknowledgement());
    TextTable.line(out, "deadline", cache.deadlineMillis() + " ms");
    TextTable.line(out, "largest value", cache.maxValueBytes() + " bytes");
    TextTable.line(out, "tombstone grace", cache.tombstoneGraceMillis() + " ms");
    Integer siblings = cache.siblings();
    if (siblings != null) {
      TextTable.line(out, "siblings", siblings + " at most");
    }
    String encrypted = cache.encrypted();
    if (encrypted != null) {
      TextTable.line(out, "encrypted", encrypted);
    }
    TermReport term = cache.term();
    if (term != null) {
      TextTable.line(out, "primary", term.text());
      TextTable.line(out, "writer", term.writer() == null ? "none" : term.writer());
    }
    TextTable.line(out, "configuration", cache.configuration() + ", revision " + cache.revision());
    RedundancyReport redundancy = cache.redundancy();
    if (redundancy != null) {
      TextTable.line(out, "replicas", redundancy.text());
    }
    cache
        .stores()
        .forEach(
            (replica, store) ->
                TextTable.line(
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
        : "the cache continues without it until it is recovered";
  }
}
