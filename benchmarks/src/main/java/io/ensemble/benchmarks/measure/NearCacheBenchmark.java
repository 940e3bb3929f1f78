package io.ensemble.benchmarks.measure;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.contest.Workload.KeyChoice;
import io.ensemble.benchmarks.contest.Workload.KeyDistribution;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.replication.WideAreaBenchmark;
import io.ensemble.near.NearCache;
import io.ensemble.near.NearCacheSettings;
import io.ensemble.near.NearCacheStatistics;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.link.SiteLinkReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.configuration.NearCacheMode;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Question: how long does a hit of a near cache take, and how much faster are reads and writes of a
 * cache whose other sites are far?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure near-cache}.
 *
 * <p>Hits: one thread reads {@value #HOT_KEYS} keys with values of {@value #VALUE_BYTES} bytes,
 * which are all held. Rivals: the near cache of Infinispan's own client over a plain cache, and a
 * map of Caffeine.
 *
 * <p>Speed: YCSB's workloads B, one write in twenty, and C, reads alone, both Zipfian, on an MWMR
 * cache at three sites of which two are far. The rival is the same cache without a near cache. If
 * hits took no time, the speed would be that of the remaining operations: 1 / (1 - reads x hit
 * ratio) times as much. The near caches hold a tenth of the keys, for 60 s.
 */
public final class NearCacheBenchmark {

  static final int HOT_KEYS = 1_000;
  static final int VALUE_BYTES = 100;

  /** A cache of Infinispan alone, whose keys may be texts. */
  private static final String PLAIN = "plain";

  private static final String DEFINITION =
      "<distributed-cache><encoding media-type=\"application/x-protostream\"/></distributed-cache>";

  private static final int LOADERS = 64;
  private static final double OF_REMOTE_SHARE = 0.8;
  private static final Duration STALENESS = Duration.ofSeconds(60);
  private static final Workload B = new Workload("B", 0.95, KeyDistribution.ZIPFIAN);
  private static final Workload C = new Workload("C", 1, KeyDistribution.ZIPFIAN);

  /**
   * A near cache beside the same cache without one.
   *
   * @param hitRatio of its reads, in all slices, those of the warm-up included
   * @param ratio rates with the near cache to those without
   * @param allowed the ratio that the remote operations allow
   * @param expected the required minimum of {@code ratio / allowed}, set before the measurement
   */
  public record Line(
      String workload,
      String filling,
      double hitRatio,
      RatioSpread ratio,
      double allowed,
      double expected,
      ContestantResult near,
      ContestantResult plain) {}

  /** The complete answer; hits: Ensemble's near cache, Infinispan's, Caffeine. */
  public record Figures(
      List<SiteLinkReport> ways,
      List<ContestantResult> hits,
      RatioSpread hitsToInfinispan,
      List<Line> lines) {}

  private final BenchmarkOptions options;
  private final FederationProcess federation;
  private final byte[] value = new byte[VALUE_BYTES];

  private NearCacheBenchmark(BenchmarkOptions options, FederationProcess federation) {
    this.options = options;
    this.federation = federation;
    new SplittableRandom(1).nextBytes(value);
  }

  /** Measures in {@code federation}, whose sites but the first are far. */
  public static BenchmarkResult answer(BenchmarkOptions options, FederationProcess federation) {
    Figures figures = new NearCacheBenchmark(options, federation).figures();
    return new BenchmarkResult(figures, table(figures));
  }

  private Figures figures() {
    List<SiteLinkReport> ways = federation.lines();
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(FederationProcess.SITES.get(0));
    federation.sites().forEach(builder::site);
    try (EnsembleCacheManager manager = builder.build()) {
      EnsembleCache<String, byte[]> cache =
          manager.createCache(
              CacheDefinition.of("near", Mode.MWMR).sites(FederationProcess.SITES).build());
      options.say("loading %,d keys", options.records());
      KeyLoader.load(options, LOADERS, i -> cache.put(Workload.key(i), value));
      ContestResults hits = hits(cache);
      List<Line> lines = new ArrayList<>();
      for (Workload workload : List.of(B, C)) {
        lines.addAll(speed(cache, workload));
      }
      return new Figures(ways, hits.showings(), hits.ratio(0, 1), lines);
    }
  }

  // Hits.

  private ContestResults hits(EnsembleCache<String, byte[]> cache) {
    options.say("hits");
    SiteConfiguration local = federation.sites().get(0);
    NearCacheSettings settings = NearCacheSettings.lazy(10_000, 64L << 20, Duration.ofDays(1));
    Cache<String, byte[]> map = Caffeine.newBuilder().maximumSize(10_000).build();
    try (NearCache<String, byte[]> near = NearCache.open(cache, settings.staleReads());
        RemoteCacheManager client = client(local)) {
      RemoteCache<String, byte[]> remote =
          client
              .administration()
              .withFlags(AdminFlag.VOLATILE)
              .getOrCreateCache(PLAIN, new StringConfiguration(DEFINITION));
      for (int i = 0; i < HOT_KEYS; i++) {
        remote.put(Workload.key(i), value);
        map.put(Workload.key(i), value);
      }
      for (int i = 0; i < HOT_KEYS; i++) {
        require(near.cache().get(Workload.key(i)));
        require(remote.get(Workload.key(i)));
      }
      ContestResults results =
          options
              .contest(1)
              .run(
                  List.of(
                      hits("Ensemble's near cache", key -> near.cache().get(key)),
                      hits("Infinispan's near cache", remote::get),
                      hits("Caffeine", map::getIfPresent)),
                  Map::of);
      NearCacheStatistics statistics = near.statistics();
      if (statistics.misses() > HOT_KEYS) {
        throw new IllegalStateException("not only hits were measured; " + statistics);
      }
      client.administration().removeCache(PLAIN);
      return results;
    }
  }

  private static Contender hits(String name, Function<String, byte @Nullable []> read) {
    return new Contender(name, number -> require(read.apply(Workload.key(number % HOT_KEYS))));
  }

  private static RemoteCacheManager client(SiteConfiguration site) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    site.endpoints().forEach(node -> builder.addServer().host(node.host()).port(node.port()));
    builder.remoteCache(PLAIN).nearCacheMode(NearCacheMode.INVALIDATED).nearCacheMaxEntries(10_000);
    return new RemoteCacheManager(builder.build());
  }

  private static void require(byte @Nullable [] found) {
    if (found == null) {
      throw new IllegalStateException("an existing key was not found");
    }
  }

  // Speed.

  private List<Line> speed(EnsembleCache<String, byte[]> cache, Workload workload) {
    options.say("workload %s, %d in flight", workload.name(), options.farThreads());
    int held = Math.max(1, options.records() / 10);
    NearCacheSettings lazy = NearCacheSettings.lazy(held, 1L << 30, STALENESS).staleReads();
    NearCacheSettings eager = NearCacheSettings.eager(held, 1L << 30, STALENESS).staleReads();
    try (NearCache<String, byte[]> one = NearCache.open(cache, lazy);
        NearCache<String, byte[]> other = NearCache.open(cache, eager)) {
      ContestResults results =
          options
              .contest(options.farThreads())
              .run(
                  List.of(
                      contender("lazy", one.cache(), workload),
                      contender("eager", other.cache(), workload),
                      contender("without", cache, workload)),
                  Map::of);
      return List.of(
          line(workload, results, 0, one.statistics()),
          line(workload, results, 1, other.statistics()));
    }
  }

  private Contender contender(String name, EnsembleCache<String, byte[]> cache, Workload workload) {
    KeyChoice keys = workload.choice(options.records());
    LongPredicate writes = workload.writes();
    LongConsumer operation =
        number -> {
          if (writes.test(number)) {
            keys.write(number, key -> cache.put(key, changed(number)));
          } else {
            require(cache.get(keys.toRead(number)));
          }
        };
    return new Contender(name, operation, () -> {}, writes);
  }

  /** Another value for each write, so that reports of it end entries. */
  private byte[] changed(long number) {
    byte[] other = value.clone();
    for (int i = 0; i < Long.BYTES; i++) {
      other[i] = (byte) (number >>> 8 * i);
    }
    return other;
  }

  private static Line line(
      Workload workload, ContestResults results, int which, NearCacheStatistics statistics) {
    double hits = statistics.hitRatio();
    return new Line(
        workload.name(),
        results.showings().get(which).name(),
        Math.round(1_000 * hits) / 1_000.0,
        results.ratio(which, 2),
        Math.round(100 / (1 - workload.reads() * hits)) / 100.0,
        OF_REMOTE_SHARE,
        results.showings().get(which),
        results.showings().get(2));
  }

  private static List<String> table(Figures figures) {
    List<String> table = new ArrayList<>(WideAreaBenchmark.describeLinks(figures.ways()));
    table.add("");
    table.add("| one hit | ns | p99 µs |");
    table.add("|---|---|---|");
    for (ContestantResult one : figures.hits()) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,.0f | %.1f |",
              one.name(),
              1e9 / one.perSecond(),
              one.latencies().p99Micros()));
    }
    table.add("");
    table.add(
        "| workload | near cache | hit ratio | to without | min..max | allowed | of allowed"
            + " | expected | /s | /s without | reads p50 / p95 / p99 ms | without |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Line line : figures.lines()) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %s | %.3f | **%.1f** | %.1f..%.1f | %.1f | **%.2f** | >= %.2f | %,.0f | %,.0f"
                  + " | %s | %s |",
              line.workload(),
              line.filling(),
              line.hitRatio(),
              line.ratio().median(),
              line.ratio().min(),
              line.ratio().max(),
              line.allowed(),
              line.ratio().median() / line.allowed(),
              line.expected(),
              line.near().perSecond(),
              line.plain().perSecond(),
              WideAreaBenchmark.millis(line.near().reads()),
              WideAreaBenchmark.millis(line.plain().reads())));
    }
    return table;
  }
}
