package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.report.SvgFile;
import io.ensemble.versioning.IndexType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: how much space does a trace take in the store, with each index?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-storage}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix A, figure 3: the bytes of all entries, keys and values, one copy, without
 * Infinispan's overhead for an entry; measured after all data that must be moved out was moved.
 */
public final class VersionStorageBenchmark {

  /**
   * The space with one index.
   *
   * @param payloadBytes the bytes of all values
   * @param overheadPerVersion the other stored bytes, for each version; negative where deltas save
   *     more
   */
  public record Line(
      String trace,
      long keys,
      int leftOut,
      long versions,
      long payloadBytes,
      String index,
      long entries,
      long bytes,
      double overheadPerVersion) {}

  private VersionStorageBenchmark() {}

  private static List<VersionedCacheSetup> setups() {
    return List.of(
        VersionedCacheSetup.of(IndexType.BASELINE),
        VersionedCacheSetup.of(IndexType.TREE),
        VersionedCacheSetup.of(IndexType.SHARDED),
        VersionedCacheSetup.of(IndexType.AUTO),
        VersionedCacheSetup.of(IndexType.TREE).withDeltas(),
        VersionedCacheSetup.of(IndexType.AUTO).withDeltas());
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    try (VersionTestbed versionTestbed = VersionTestbed.of(benchmarkOptions)) {
      return answer(benchmarkOptions, versionTestbed);
    }
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    List<Line> lines = new ArrayList<>();
    for (TraceHistories each : benchmarkOptions.versions().histories()) {
      TraceHistories histories = each.withoutLargeKeys();
      for (VersionedCacheSetup setup : setups()) {
        benchmarkOptions.say("%s, %s", histories.name(), setup.title());
        lines.add(line(benchmarkOptions, versionTestbed, histories, setup));
      }
    }
    String what = "Bytes in the store, to the bytes of the values";
    benchmarkOptions.say(
        "drew %s",
        new SvgFile("versions-storage.svg", BarPlot.draw(what, bars(lines)))
            .writeTo(benchmarkOptions.objectPlan().figures()));
    return new BenchmarkResult(lines, table(lines));
  }

  private static Line line(
      BenchmarkOptions benchmarkOptions,
      VersionTestbed versionTestbed,
      TraceHistories histories,
      VersionedCacheSetup setup) {
    int clients = benchmarkOptions.versions().mostClients();
    String name = "storage-" + setup.index() + (setup.deltas() ? "-deltas" : "");
    try (MeasuredVersionedCache measuredVersionedCache =
        versionTestbed.openEmptyCache(name, setup)) {
      measuredVersionedCache.load(histories.keys(), clients);
      measuredVersionedCache.settle(histories.keys(), clients);
      MeasuredVersionedCache.StoredSize stored = measuredVersionedCache.stored();
      measuredVersionedCache.clear();
      return new Line(
          histories.name(),
          histories.keys().size(),
          histories.leftOut(),
          histories.versions(),
          histories.payloadBytes(),
          setup.title(),
          stored.entries(),
          stored.bytes(),
          (double) (stored.bytes() - histories.payloadBytes()) / histories.versions());
    }
  }

  private static List<BarPlot.Bar> bars(List<Line> lines) {
    return lines.stream()
        .map(
            line ->
                new BarPlot.Bar(
                    line.trace() + ": " + line.index(),
                    (double) line.bytes() / Math.max(1, line.payloadBytes())))
        .toList();
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| trace | keys (left out), versions | bytes of values | index | entries | bytes | to"
            + " Baseline | added to a version, bytes |");
    table.add("|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      Line baseline = lines.get(i - i % setups().size());
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d (%d), %,d | %,d | %s | %,d | %,d | **%.2f** | %.1f |",
              line.trace(),
              line.keys(),
              line.leftOut(),
              line.versions(),
              line.payloadBytes(),
              line.index(),
              line.entries(),
              line.bytes(),
              (double) line.bytes() / baseline.bytes(),
              line.overheadPerVersion()));
    }
    return table;
  }
}
