package io.ensemble.benchmarks.heat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.Result;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.contest.Workload.KeyChoice;
import io.ensemble.benchmarks.contest.Workload.KeyDistribution;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.heat.HeatRecorder;
import io.ensemble.site.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Question: what throughput does a process lose that records its operations for heat maps?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure heat}.
 *
 * <p>Rival: a manager without a recorder, on the same sites, with a cache of its own. Both use the
 * keys in the zipfian distribution of YCSB; one operation of two is a write. The sites are those of
 * other measurements, and as the worst case sites in the memory of the client that answer
 * immediately. The recorder publishes its windows each minute, in whichever slice that falls.
 */
public final class HeatBenchmark {

  static final int VALUE_BYTES = 1_000;

  /** The required minimum of each ratio, set before the measurement. */
  static final double EXPECTED = 0.98;

  /**
   * One line of the answer.
   *
   * @param sites {@code real} or {@code memory}
   * @param result the manager that records first
   */
  public record Line(String sites, Mode mode, Result result) {}

  private final BenchmarkOptions benchmarkOptions;
  private final byte[] value = new byte[VALUE_BYTES];
  private final List<Line> lines = new ArrayList<>();

  private HeatBenchmark(BenchmarkOptions benchmarkOptions) {
    this.benchmarkOptions = benchmarkOptions;
    new SplittableRandom(1).nextBytes(value);
  }

  /** Measures at the sites of {@code federation}, and at sites in memory. */
  public static BenchmarkResult answer(
      BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    HeatBenchmark benchmark = new HeatBenchmark(benchmarkOptions);
    benchmark.measure("real", builder -> federation.sites().forEach(builder::site));
    List<Site> inMemory = FederationProcess.SITES.stream().<Site>map(ImmediateSite::new).toList();
    benchmark.measure("memory", builder -> inMemory.forEach(builder::site));
    return new BenchmarkResult(benchmark.lines, table(benchmark.lines));
  }

  private void measure(String where, Consumer<EnsembleCacheManagerBuilder> sites) {
    try (HeatRecorder recorder = HeatRecorder.create();
        EnsembleCacheManager recorded = builder(sites).recorder(recorder).build();
        EnsembleCacheManager plain = builder(sites).build()) {
      recorder.publishTo(recorded);
      for (Mode mode : new Mode[] {Mode.WEAK, Mode.MWMR}) {
        EnsembleCache<String, byte[]> one = filled(recorded, mode, "recorded");
        EnsembleCache<String, byte[]> other = filled(plain, mode, "plain");
        for (int threads : new int[] {1, 16}) {
          benchmarkOptions.say("%s sites, %s, %d threads", where, mode, threads);
          Contender first = contender("recorded", one);
          Contender second = contender("plain", other);
          lines.add(new Line(where, mode, benchmarkOptions.contest(threads).run(first, second)));
        }
        recorded.deleteCache(one.getName());
        plain.deleteCache(other.getName());
      }
      if (recorder.missedOperations() > 0) {
        throw new IllegalStateException(
            "operations were not recorded; missed=" + recorder.missedOperations());
      }
      recorder.close(); // Before its manager.
    }
  }

  private static EnsembleCacheManagerBuilder builder(Consumer<EnsembleCacheManagerBuilder> sites) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(FederationProcess.SITES.get(0));
    sites.accept(builder);
    return builder;
  }

  private EnsembleCache<String, byte[]> filled(
      EnsembleCacheManager manager, Mode mode, String name) {
    EnsembleCache<String, byte[]> cache =
        manager.createCache(
            CacheDefinition.of(name + "-" + mode.name().toLowerCase(Locale.ROOT), mode)
                .sites(FederationProcess.SITES)
                .build());
    for (int i = 0; i < benchmarkOptions.records(); i++) {
      cache.put(Workload.key(i), value);
    }
    return cache;
  }

  private Contender contender(String name, EnsembleCache<String, byte[]> cache) {
    Workload half = new Workload("half updates", 0.5, KeyDistribution.ZIPFIAN);
    KeyChoice keys = half.choice(benchmarkOptions.records());
    LongPredicate writes = half.writes();
    return new Contender(
        name,
        number -> {
          if (writes.test(number)) {
            keys.write(number, key -> cache.put(key, value));
          } else if (cache.get(keys.toRead(number)) == null) {
            throw new IllegalStateException("an existing key was not found");
          }
        },
        () -> {},
        writes);
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| sites | mode | in flight | ratio | min..max | expected | recorded /s | plain /s |");
    table.add("|---|---|---|---|---|---|---|---|");
    for (Line line : lines) {
      Result result = line.result();
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | **%.3f** | %.3f..%.3f | >= %.2f | %,.0f | %,.0f |",
              line.sites(),
              line.mode(),
              result.threads(),
              result.ratio().median(),
              result.ratio().min(),
              result.ratio().max(),
              EXPECTED,
              result.first().perSecond(),
              result.second().perSecond()));
    }
    return table;
  }
}
