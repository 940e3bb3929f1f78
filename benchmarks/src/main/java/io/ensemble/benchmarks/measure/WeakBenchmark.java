package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.Result;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.store.PlainCache;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongFunction;
import org.infinispan.client.hotrod.RemoteCache;
import org.jspecify.annotations.Nullable;

/**
 * Question: what does a WEAK cache cost against a plain {@code RemoteCache}, on one site and on
 * two?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure weak-ratio}.
 *
 * <p>Rival: a plain {@code RemoteCache} on the cluster that is the WEAK cache's first site, with
 * the same settings. Values have {@value #VALUE_BYTES} bytes. Gets, and puts on one site, are over
 * 10,000 existing keys; puts on two sites are cold, each to a key that was never used.
 *
 * <p>With two sites, copies to the second continue when a put has returned. The ratio as callers
 * see it leaves that out, as callers do; the settled ratio counts the time until every copy is
 * made.
 */
public final class WeakBenchmark {

  static final int VALUE_BYTES = 1_000;

  /**
   * One line of the answer.
   *
   * @param expected the required minimum, set before the measurement
   */
  public record Line(String operation, int replication, double expected, Result result) {}

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;
  private final byte[] value = new byte[VALUE_BYTES];

  private WeakBenchmark(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
    new SplittableRandom(1).nextBytes(value);
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new WeakBenchmark(benchmarkOptions, federation).lines();
    return new BenchmarkResult(lines, table(lines));
  }

  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    try (PlainCache plain = PlainCache.open(federation.sites().get(0), "plain")) {
      RemoteCache<byte[], byte[]> rival = plain.cache();
      for (long i = 0; i < benchmarkOptions.records(); i++) {
        rival.put(key(i).getBytes(UTF_8), value);
      }
      for (int threads : new int[] {1, 16}) {
        lines.add(get(1, threads, rival));
        lines.add(put(threads, rival));
        lines.add(get(2, threads, rival));
        lines.add(coldPut(threads, rival));
      }
    }
    return lines;
  }

  private Line get(int replication, int threads, RemoteCache<byte[], byte[]> rival) {
    return withCache(
        replication,
        cache -> {
          Contender weak =
              new Contender(
                  "WEAK get", n -> require(cache.get(key(mixed(n, benchmarkOptions.records())))));
          Contender plain =
              new Contender(
                  "plain get",
                  n ->
                      require(
                          rival.get(key(mixed(n, benchmarkOptions.records())).getBytes(UTF_8))));
          return line("get", replication, threads, 0.9, weak, plain);
        });
  }

  private Line put(int threads, RemoteCache<byte[], byte[]> rival) {
    return withCache(
        1,
        cache ->
            line(
                "put",
                1,
                threads,
                0.9,
                new Contender(
                    "WEAK put", n -> cache.put(key(mixed(n, benchmarkOptions.records())), value)),
                new Contender(
                    "plain put",
                    n ->
                        rival.put(
                            key(mixed(n, benchmarkOptions.records())).getBytes(UTF_8), value))));
  }

  private Line coldPut(int threads, RemoteCache<byte[], byte[]> rival) {
    String run = "cold-" + threads + "-";
    try (CountedClient client = new CountedClient(federation.sites(), new InMemoryDefinitions())) {
      EnsembleCache<String, byte[]> cache = client.cache(definition(2));
      Line line =
          line(
              "cold put",
              2,
              threads,
              0.45,
              new Contender("WEAK put", n -> cache.put(run + n, value), client::settle),
              new Contender("plain put", n -> rival.put((run + n).getBytes(UTF_8), value)));
      client.manager().deleteCache(cache.getName());
      return line;
    }
  }

  private Line line(
      String operation, int replication, int threads, double expected, Contender a, Contender b) {
    benchmarkOptions.say("%s, replication %d, %d threads", operation, replication, threads);
    return new Line(operation, replication, expected, benchmarkOptions.contest(threads).run(a, b));
  }

  private interface CacheUse {
    Line with(EnsembleCache<String, byte[]> cache);
  }

  /** Measures with a cache that holds all keys. */
  private Line withCache(int replication, CacheUse use) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(federation.sites().get(0).name());
    federation.sites().forEach(builder::site);
    try (EnsembleCacheManager manager = builder.build()) {
      EnsembleCache<String, byte[]> cache = manager.createCache(definition(replication));
      for (long i = 0; i < benchmarkOptions.records(); i++) {
        cache.put(key(i), value);
      }
      Line line = use.with(cache);
      manager.deleteCache(cache.getName());
      return line;
    }
  }

  private static CacheDefinition definition(int replication) {
    return CacheDefinition.of("weak-" + UUID.randomUUID(), Mode.WEAK)
        .sites(FederationProcess.SITES.subList(0, replication))
        .build();
  }

  private static String key(long number) {
    return "user" + number;
  }

  /** Spreads numbers that count up over all keys, the same for both contenders. */
  public static long mixed(long number, int keys) {
    return Math.floorMod((number + 1) * 0x9E3779B97F4A7C15L >>> 16, keys);
  }

  private static void require(byte @Nullable [] found) {
    if (found == null) {
      throw new IllegalStateException("an existing key was not found");
    }
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| operation | sites | in flight | ratio | min..max | settled | expected |"
            + " WEAK p50 / p99 / p99.9 µs | plain p50 / p99 / p99.9 µs | WEAK /s | plain /s |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|");
    LongFunction<String> grouped = rate -> String.format(Locale.ROOT, "%,d", rate);
    for (Line line : lines) {
      Result result = line.result();
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | %d | **%.2f** | %.2f..%.2f | %.2f | >= %.2f | %s | %s | %s | %s |",
              line.operation(),
              line.replication(),
              result.threads(),
              result.ratio().median(),
              result.ratio().min(),
              result.ratio().max(),
              result.settledRatio().median(),
              line.expected(),
              percentiles(result.first().latencies()),
              percentiles(result.second().latencies()),
              grouped.apply((long) result.first().perSecond()),
              grouped.apply((long) result.second().perSecond())));
    }
    return table;
  }

  public static String percentiles(Latencies latencies) {
    return String.format(
        Locale.ROOT,
        "%.0f / %.0f / %.0f",
        latencies.p50Micros(),
        latencies.p99Micros(),
        latencies.p999Micros());
  }
}
