package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.report.SvgFile;
import io.ensemble.benchmarks.versions.PanelPlot.Curve;
import io.ensemble.benchmarks.versions.PanelPlot.Panel;
import io.ensemble.benchmarks.versions.VersionContest.VersionContestant;
import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.VersionedCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * Question: what latency do readers of histories see, with each index?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-replay}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix A, figure 4: closed-loop clients read a trace that was loaded. Of the
 * reads, 98.9 % are of the latest version, 0.64 % of an old one, and 0.46 % list all versions of a
 * key, without values. A key is chosen in proportion to its number of versions, an old version
 * uniformly. With {@code --trace-reads}, the keys and kinds of reads are those of the trace, in
 * their order, for example of a log of Wikipedia's accesses. Rival of the others: {@code BASELINE}.
 */
public final class VersionReplayBenchmark {

  /**
   * The result of a kind of operation.
   *
   * @param kind the kind of operation
   * @param ratio of all kinds' mean time to Baseline's
   */
  public record Line(
      String trace,
      int oneWayMillis,
      int clients,
      String index,
      String kind,
      double perSecond,
      RatioSpread ratio,
      Latencies latencies) {}

  private static final String LATEST = "latest";
  private static final String OLD = "old version";
  private static final String RANGE = "all versions";
  private static final double OLD_SHARE = 0.0064;
  private static final double RANGE_SHARE = 0.0046;

  private final BenchmarkOptions benchmarkOptions;
  private final List<Line> lines = new ArrayList<>();
  private final List<String> table = new ArrayList<>();
  private final List<Panel> panels = new ArrayList<>();

  private VersionReplayBenchmark(BenchmarkOptions benchmarkOptions) {
    this.benchmarkOptions = benchmarkOptions;
    table.add(
        "| trace | one way ms | clients | index | reads a second | mean time to Baseline's | of |"
            + " reads | mean / p50 / p95 / p99 ms |");
    table.add("|---|---|---|---|---|---|---|---|---|");
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    try (VersionTestbed versionTestbed = VersionTestbed.of(benchmarkOptions)) {
      return answer(benchmarkOptions, versionTestbed);
    }
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    VersionReplayBenchmark replay = new VersionReplayBenchmark(benchmarkOptions);
    for (TraceHistories each : benchmarkOptions.versions().histories()) {
      replay.replay(versionTestbed, each.withoutLargeKeys());
    }
    String picture =
        PanelPlot.between(
            "milliseconds; up: percent of the reads that took no longer, the last decile",
            90,
            100,
            replay.panels);
    benchmarkOptions.say(
        "drew %s",
        new SvgFile("versions-replay.svg", picture)
            .writeTo(benchmarkOptions.objectPlan().figures()));
    return new BenchmarkResult(replay.lines, replay.table);
  }

  private void replay(VersionTestbed versionTestbed, TraceHistories histories) {
    List<MeasuredVersionedCache> caches = new ArrayList<>();
    try {
      List<VersionContestant> contestants = new ArrayList<>();
      for (IndexType index : IndexType.values()) {
        benchmarkOptions.say("%s, loading %s", histories.name(), index);
        try (MeasuredVersionedCache writer =
            versionTestbed.openEmptyCache("replay-" + index, VersionedCacheSetup.of(index))) {
          writer.load(histories.keys(), benchmarkOptions.versions().mostClients());
          writer.settle(histories.keys(), benchmarkOptions.versions().mostClients());
        }
        MeasuredVersionedCache measuredCache =
            versionTestbed.openCache(
                "replay-" + index, VersionedCacheSetup.of(index)); // It has written no versions.
        caches.add(measuredCache);
        contestants.add(
            new VersionContestant(
                index.toString(),
                new HistoryReplay(measuredCache.cache(), chooser(histories))::read));
      }
      for (int oneWay : benchmarkOptions.objectPlan().oneWayMillis()) {
        versionTestbed.delay(Duration.ofMillis(oneWay));
        for (int clients : benchmarkOptions.versions().clients()) {
          benchmarkOptions.say("%s, %d ms one way, %d clients", histories.name(), oneWay, clients);
          addResults(
              histories,
              oneWay,
              clients,
              new VersionContest(
                      clients,
                      benchmarkOptions.sliceMillis(),
                      benchmarkOptions.objectPlan().rounds())
                  .compare(contestants));
        }
      }
    } finally {
      versionTestbed.delay(Duration.ZERO);
      caches.forEach(MeasuredVersionedCache::close);
    }
  }

  private ReadChooser chooser(TraceHistories histories) {
    return benchmarkOptions.versions().tracedReads()
        ? ReadChooser.traced(histories)
        : ReadChooser.weighted(histories, OLD_SHARE, RANGE_SHARE);
  }

  /** Executes reads, and compares them with what was loaded. */
  private record HistoryReplay(VersionedCache<String, byte[], Long> cache, ReadChooser chooser) {

    String read(int client, SplittableRandom random) {
      ReadChooser.ChosenRead chosen = chooser.next(random);
      KeyHistory history = chosen.history();
      switch (chosen.kind()) {
        case HISTORY -> {
          int count = cache.versions(history.key(), null, null, Integer.MAX_VALUE, false).size();
          check(count == history.versions().size(), history, "versions: " + count);
          return RANGE;
        }
        case OLD -> {
          var version = history.versions().get(random.nextInt(history.versions().size()));
          var found = cache.get(history.key(), version.version());
          check(found.isPresent() == version.value().isPresent(), history, "value: " + found);
          return OLD;
        }
        case LATEST -> {
          var last = history.versions().get(history.versions().size() - 1);
          var found = cache.latest(history.key());
          check(
              found.isPresent() && found.get().version().equals(last.version()),
              history,
              "latest: " + found);
          return LATEST;
        }
      }
      throw new AssertionError("unknown kind of read: " + chosen.kind());
    }

    private static void check(boolean right, KeyHistory history, String found) {
      if (!right) {
        throw new IllegalStateException(
            "what was loaded is not what is read; key=%s %s".formatted(history.key(), found));
      }
    }
  }

  private void addResults(
      TraceHistories histories, int oneWay, int clients, List<VersionContest.Line> compared) {
    for (VersionContest.Line line : compared) {
      for (Map.Entry<String, Histogram> each : line.latencies().entrySet()) {
        lines.add(
            new Line(
                histories.name(),
                oneWay,
                clients,
                line.title(),
                each.getKey(),
                line.perSecond(clients),
                line.ratio(),
                Latencies.of(each.getValue())));
        table.add(
            String.format(
                Locale.ROOT,
                "| %s | %d | %d | %s | %,.0f | **%.2f** (%.2f..%.2f) | %s | %,d | %s |",
                histories.name(),
                oneWay,
                clients,
                line.title(),
                line.perSecond(clients),
                line.ratio().median(),
                line.ratio().min(),
                line.ratio().max(),
                each.getKey(),
                each.getValue().getTotalCount(),
                LatencyDistributions.cell(each.getValue())));
        LatencyDistributions.keep(
            benchmarkOptions.versions().raw(),
            "replay %s %s %d-ms %d-clients %s"
                .formatted(histories.name(), line.title(), oneWay, clients, each.getKey()),
            each.getValue());
      }
    }
    for (String kind : List.of(RANGE, LATEST)) {
      panels.add(
          new Panel(
              "%s: %s, %d ms one way, %d clients"
                  .formatted(histories.name(), kind, oneWay, clients),
              compared.stream()
                  .filter(line -> line.latencies().containsKey(kind))
                  .map(
                      line ->
                          new Curve(
                              line.title(),
                              LatencyDistributions.lastDecile(line.latencies().get(kind))))
                  .toList()));
    }
  }
}
