package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.ParallelRange;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.store.PlainCache;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;

/**
 * Question: how much heap does a client retain after it has written and read 100,000 keys?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure memory}.
 *
 * <p>Rival: a plain {@code RemoteCache}, which keeps no state about keys, so its growth is noise.
 * Measured is the used heap after garbage collection, before and after, with the client connected
 * and warm; the federation is in another JVM. Keys have about 10 bytes, values 16.
 */
public final class ClientMemoryBenchmark {

  private static final int THREADS = 16;
  private static final int WARM_UP = 2_000;

  /**
   * One line of the answer.
   *
   * @param keys the number of keys used
   * @param grownBytes the used heap after, less that before
   */
  public record Line(String client, int keys, long grownBytes) {

    /** For each key. */
    public double bytesPerKey() {
      return Math.round(10.0 * grownBytes / keys) / 10.0;
    }
  }

  private ClientMemoryBenchmark() {}

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    try (PlainCache plain = PlainCache.open(federation.sites().get(0), "plain")) {
      byte[] value = new byte[16];
      lines.add(
          line(
              benchmarkOptions,
              "plain",
              i -> {
                plain.cache().put(key(i).getBytes(UTF_8), value.clone());
                plain.cache().get(key(i).getBytes(UTF_8));
              },
              () -> {}));
    }
    for (Mode mode : Mode.values()) {
      try (CountedClient client =
          new CountedClient(federation.sites(), new InMemoryDefinitions())) {
        EnsembleCache<String, byte[]> cache =
            client.cache(
                CacheDefinition.of("memory-" + mode, mode).sites(FederationProcess.SITES).build());
        lines.add(
            line(
                benchmarkOptions,
                mode.name(),
                i -> {
                  cache.put(key(i), new byte[16]);
                  cache.get(key(i));
                },
                client::settle));
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private static Line line(
      BenchmarkOptions benchmarkOptions, String client, IntConsumer see, Runnable settle) {
    benchmarkOptions.say("%s: %,d keys", client, benchmarkOptions.keys());
    ParallelRange.each(THREADS, -WARM_UP, 0, see);
    settle.run();
    long before = usedHeap();
    ParallelRange.each(THREADS, 0, benchmarkOptions.keys(), see);
    settle.run();
    return new Line(client, benchmarkOptions.keys(), usedHeap() - before);
  }

  /**
   * The used heap of this process: the least of several collections, because one collection may
   * leave garbage for the next.
   */
  public static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private static String key(int number) {
    return "user" + number;
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add("| client | keys seen | heap grown by | for each key |");
    table.add("|---|---|---|---|");
    lines.forEach(
        line ->
            table.add(
                String.format(
                    Locale.ROOT,
                    "| %s | %,d | **%.2f MB** | %.0f bytes |",
                    line.client(),
                    line.keys(),
                    line.grownBytes() / 1e6,
                    line.bytesPerKey())));
    return table;
  }
}
