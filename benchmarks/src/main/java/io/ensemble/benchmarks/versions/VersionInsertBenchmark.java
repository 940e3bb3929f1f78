package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.versioning.IndexType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Question: how long does it take to load a trace, with each index?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-insertion}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix A, table II. The keys are split into parts, which the indexes load in
 * turns; times are summed up. All versions of a key are added in one step, or one by one. Rival of
 * the others: {@code BASELINE}.
 */
public final class VersionInsertBenchmark {

  /**
   * The cost of loading.
   *
   * @param way {@code addAll} or {@code one by one}
   * @param leftOut keys that are too large for Baseline, and are not loaded with any index
   * @param seconds until all versions were acknowledged
   * @param settledSeconds until all data was also moved out
   * @param slowDown this index's time to Baseline's, part by part
   * @param settledSlowDown the same until all data was moved out
   */
  public record Line(
      String trace,
      String way,
      int oneWayMillis,
      int clients,
      long keys,
      int leftOut,
      long versions,
      IndexType index,
      double seconds,
      double settledSeconds,
      RatioSpread slowDown,
      RatioSpread settledSlowDown) {}

  private static final int PARTS = 6;
  private static final int WARM_UP_KEYS = 40;

  private record InsertTimes(long nanos, long settledNanos) {}

  private final BenchmarkOptions benchmarkOptions;
  private final VersionTestbed versionTestbed;
  private final Map<IndexType, MeasuredVersionedCache> caches = new EnumMap<>(IndexType.class);
  private final int clients;

  private VersionInsertBenchmark(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    this.benchmarkOptions = benchmarkOptions;
    this.versionTestbed = versionTestbed;
    this.clients = benchmarkOptions.versions().mostClients();
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    try (VersionTestbed versionTestbed = VersionTestbed.of(benchmarkOptions)) {
      return answer(benchmarkOptions, versionTestbed);
    }
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    TraceHistories warming =
        TraceHistories.of("warm-up", SyntheticTrace.of(WARM_UP_KEYS, 99)).withoutLargeKeys();
    for (boolean atOnce : new boolean[] {true, false}) {
      List<Line> unused =
          new VersionInsertBenchmark(benchmarkOptions, versionTestbed).lines(warming, atOnce, 0);
    }
    List<Line> lines = new ArrayList<>();
    for (TraceHistories each : benchmarkOptions.versions().histories()) {
      TraceHistories histories = each.withoutLargeKeys();
      for (int oneWay : benchmarkOptions.objectPlan().oneWayMillis()) {
        lines.addAll(
            new VersionInsertBenchmark(benchmarkOptions, versionTestbed)
                .lines(histories, true, oneWay));
        lines.addAll(
            new VersionInsertBenchmark(benchmarkOptions, versionTestbed)
                .lines(histories, false, oneWay));
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private List<Line> lines(TraceHistories histories, boolean atOnce, int oneWay) {
    benchmarkOptions.say(
        "%s, %d ms one way, %s", histories.name(), oneWay, atOnce ? "addAll" : "one by one");
    int parts = Math.min(PARTS, histories.keys().size());
    Map<IndexType, List<InsertTimes>> took = new EnumMap<>(IndexType.class);
    try {
      for (IndexType index : IndexType.values()) {
        caches.put(
            index,
            versionTestbed.openEmptyCache("insertion-" + index, VersionedCacheSetup.of(index)));
      }
      versionTestbed.delay(Duration.ofMillis(oneWay));
      for (int part = 0; part < parts; part++) {
        TraceHistories some = histories.part(part, parts);
        for (int turn = 0; turn < caches.size(); turn++) {
          IndexType index = IndexType.values()[part % 2 == 0 ? turn : caches.size() - 1 - turn];
          took.computeIfAbsent(index, i -> new ArrayList<>()).add(insert(index, some, atOnce));
        }
      }
    } finally {
      versionTestbed.delay(Duration.ZERO);
      caches.values().forEach(MeasuredVersionedCache::close);
    }
    return took.keySet().stream()
        .map(index -> line(histories, atOnce, oneWay, index, took))
        .toList();
  }

  private InsertTimes insert(IndexType index, TraceHistories some, boolean atOnce) {
    MeasuredVersionedCache cache = Objects.requireNonNull(caches.get(index));
    long begin = System.nanoTime();
    if (atOnce) {
      cache.load(some.keys(), clients);
    } else {
      cache.loadSingly(some.keys(), clients);
    }
    long acknowledged = System.nanoTime();
    cache.settle(some.keys(), clients);
    return new InsertTimes(acknowledged - begin, System.nanoTime() - begin);
  }

  private Line line(
      TraceHistories histories,
      boolean atOnce,
      int oneWay,
      IndexType index,
      Map<IndexType, List<InsertTimes>> took) {
    List<InsertTimes> own = Objects.requireNonNull(took.get(index));
    List<InsertTimes> baseline = Objects.requireNonNull(took.get(IndexType.BASELINE));
    return new Line(
        histories.name(),
        atOnce ? "addAll" : "one by one",
        oneWay,
        clients,
        histories.keys().size(),
        histories.leftOut(),
        histories.versions(),
        index,
        own.stream().mapToLong(InsertTimes::nanos).sum() / 1e9,
        own.stream().mapToLong(InsertTimes::settledNanos).sum() / 1e9,
        ratios(own.size(), i -> (double) own.get(i).nanos() / baseline.get(i).nanos()),
        ratios(
            own.size(), i -> (double) own.get(i).settledNanos() / baseline.get(i).settledNanos()));
  }

  private static RatioSpread ratios(int count, IntFunction<Double> ratio) {
    return RatioSpread.of(IntStream.range(0, count).mapToObj(ratio).toList());
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| trace | keys (left out), versions | way | one way ms | clients | index | seconds |"
            + " slow-down of all | by part (min..max) | settled: seconds | slow-down of all |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      Line baseline = lines.get(i - i % IndexType.values().length);
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d (%d), %,d | %s | %d | %d | %s | %.2f | **%.2f** | %.2f (%.2f..%.2f) |"
                  + " %.2f | %.2f |",
              line.trace(),
              line.keys(),
              line.leftOut(),
              line.versions(),
              line.way(),
              line.oneWayMillis(),
              line.clients(),
              line.index(),
              line.seconds(),
              line.seconds() / baseline.seconds(),
              line.slowDown().median(),
              line.slowDown().min(),
              line.slowDown().max(),
              line.settledSeconds(),
              line.settledSeconds() / baseline.settledSeconds()));
    }
    return table;
  }
}
