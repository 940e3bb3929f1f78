package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.ParallelRange;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Question: how much heap do the sites hold for each entry of a cache?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure
 * site-memory}.
 *
 * <p>The first rivals are the same caches with stores on all nodes of a site, which have two owners
 * at each of the three sites; a store on one node has one copy. The other rival is WEAK, which has
 * two. Measured is the used heap of the process of all sites after garbage collection, before and
 * after 100,000 entries of {@value #VALUE_BYTES} bytes are written; the client is in another
 * process.
 */
final class SiteHeapBenchmark {

  private static final int VALUE_BYTES = 1_000;
  private static final int THREADS = 16;

  /**
   * One line of the answer.
   *
   * @param entries the number of entries written
   * @param grownBytes the used heap of all sites after, less that before
   */
  public record Line(String cache, int entries, long grownBytes) {

    /** For each entry, at all sites together. */
    public double bytesPerEntry() {
      return Math.round(10.0 * grownBytes / entries) / 10.0;
    }
  }

  private SiteHeapBenchmark() {}

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    lines.add(line(benchmarkOptions, federation, "MWMR", Mode.MWMR, true));
    lines.add(line(benchmarkOptions, federation, "MWMR on all nodes", Mode.MWMR, false));
    lines.add(line(benchmarkOptions, federation, "SWMR", Mode.SWMR, true));
    lines.add(line(benchmarkOptions, federation, "SWMR on all nodes", Mode.SWMR, false));
    lines.add(line(benchmarkOptions, federation, "WEAK", Mode.WEAK, true));
    return new BenchmarkResult(lines, table(lines));
  }

  private static Line line(
      BenchmarkOptions benchmarkOptions,
      FederationProcess federation,
      String name,
      Mode mode,
      boolean isByNode) {
    benchmarkOptions.say("%s: %,d entries", name, benchmarkOptions.keys());
    try (CountedClient client =
        new CountedClient(federation.sites(), new InMemoryDefinitions(), isByNode)) {
      EnsembleCache<String, byte[]> cache =
          client.cache(
              CacheDefinition.of("site-memory-" + UUID.randomUUID(), mode)
                  .sites(FederationProcess.SITES)
                  .build());
      cache.put("warm-up", new byte[VALUE_BYTES]);
      client.settle();
      long before = federation.usedHeap();
      ParallelRange.each(
          THREADS, 0, benchmarkOptions.keys(), i -> cache.put("user" + i, new byte[VALUE_BYTES]));
      client.settle();
      Line line = new Line(name, benchmarkOptions.keys(), federation.usedHeap() - before);
      client.manager().deleteCache(cache.getName());
      return line;
    }
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add("| cache | entries | heap of all sites grown by | for each entry |");
    table.add("|---|---|---|---|");
    lines.forEach(
        line ->
            table.add(
                String.format(
                    Locale.ROOT,
                    "| %s | %,d | **%.1f MB** | %,.0f bytes |",
                    line.cache(),
                    line.entries(),
                    line.grownBytes() / 1e6,
                    line.bytesPerEntry())));
    return table;
  }
}
