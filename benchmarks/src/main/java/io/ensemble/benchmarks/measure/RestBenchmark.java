package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.process.LineProcess;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.benchmarks.replication.ReplicationContest;
import io.ensemble.benchmarks.replication.WideAreaBenchmark;
import io.ensemble.benchmarks.store.PlainCache;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Question: what does the REST service cost in comparison with Infinispan's own REST endpoint and
 * with the Java API, with {@value #CONNECTIONS} connections?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure rest-ratio}.
 *
 * <p>There are two sites of one node, each a process. The first is near; the second has the usual
 * delay of far sites, without bandwidth limit. The service, another process, and the clients are at
 * the same place, as for a user who starts the service next to the application. With the near site
 * the processors are the limit: the service does all that Infinispan's endpoint does, and sends it
 * a request as well. With the far site the delay is the limit. The caches are WEAK at one site, so
 * that each operation sends one request to it; values have {@value
 * io.ensemble.benchmarks.replication.ReplicationContest#VALUE_BYTES} bytes, under existing keys.
 */
final class RestBenchmark {

  static final int CONNECTIONS = 32;

  private static final String PLAIN = "plain";
  private static final List<String> SITES = List.of("near", "far");
  private static final double EXPECTED = 0.8;
  private static final Duration LONGEST_END = Duration.ofSeconds(30);

  /**
   * One line of the answer.
   *
   * @param site the distance of the site
   * @param toInfinispan rate to that of Infinispan's endpoint, round by round
   * @param toJava rate to that of the Java API
   * @param showings of the service, Infinispan's endpoint, and the Java API
   */
  public record Line(
      String site,
      String operation,
      RatioSpread toInfinispan,
      RatioSpread toJava,
      List<ContestantResult> showings) {}

  /**
   * The complete answer.
   *
   * @param ways the measurements of the link to the far site before the run
   * @param expected the required minimum of the ratio to Infinispan's endpoint
   */
  public record Figures(List<SiteLinkReport> ways, double expected, List<Line> lines) {}

  private final BenchmarkOptions benchmarkOptions;
  private final byte[] value = new byte[ReplicationContest.VALUE_BYTES];

  private RestBenchmark(BenchmarkOptions benchmarkOptions) {
    this.benchmarkOptions = benchmarkOptions;
    new SplittableRandom(1).nextBytes(value);
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    Figures figures = new RestBenchmark(benchmarkOptions).figures();
    return new BenchmarkResult(figures, table(figures));
  }

  private Figures figures() {
    try (TemporaryDirectory directory = TemporaryDirectory.make("ensemble-rest-");
        ProcessFederation federation =
            ProcessFederation.start(
                ProcessOptions.in(directory.path().resolve("sites"), ServerLibrary.installed())
                    .withSiteNames(SITES)
                    .withNodesPerSite(1)
                    .withWan(new WanProfile(benchmarkOptions.wan().roundTrip(), 0))
                    .withProgress(line -> benchmarkOptions.say("%s", line)))) {
      List<SiteLinkReport> links = federation.lines();
      Path catalog = directory.path().resolve("catalog");
      List<Line> lines = new ArrayList<>();
      try (EnsembleCacheManager manager =
              EnsembleCacheManager.builder().definitions(FileDefinitions.in(catalog)).build();
          LineProcess service = service(catalog)) {
        URI address = URI.create(service.answer("ready "));
        for (ProcessSite site : federation.sites()) {
          lines.addAll(lines(manager, address, site));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("the REST service did not start", e);
      }
      return new Figures(links, EXPECTED, lines);
    }
  }

  private static LineProcess service(Path catalog) throws IOException {
    return LineProcess.start(
        JavaProgram.ofThisProcess(RestMain.class.getName(), FederationProcess.options())
            .process(List.of(catalog.toString())),
        LONGEST_END);
  }

  private List<Line> lines(EnsembleCacheManager manager, URI service, ProcessSite site) {
    List<Endpoint> nodes =
        site.endpoints().stream().map(at -> new Endpoint("127.0.0.1", at.getPort())).toList();
    manager.membership().add(SiteEntry.open(site.name(), nodes, SiteStorage.MEMORY));
    EnsembleCache<String, byte[]> cache =
        manager.createCache(CacheDefinition.of(site.name(), Mode.WEAK).sites(site.name()).build());
    InetSocketAddress node = site.endpoints().get(0);
    HttpEntries ours = new HttpEntries(service.resolve("/caches/" + site.name() + "/entries/"));
    HttpEntries infinispanEntries =
        new HttpEntries(
            URI.create("http://127.0.0.1:" + node.getPort() + "/rest/v2/caches/" + PLAIN + "/"));
    SiteConfiguration.Builder at = SiteConfiguration.builder(site.name());
    nodes.forEach(at::endpoint);
    try (PlainCache plain = PlainCache.open(at.build(), PLAIN)) {
      benchmarkOptions.say(
          "loading %,d keys at the %s site", benchmarkOptions.records(), site.name());
      KeyLoader.load(benchmarkOptions, CONNECTIONS, i -> ours.put(Workload.key(i), value));
      KeyLoader.load(
          benchmarkOptions, CONNECTIONS, i -> infinispanEntries.put(Workload.key(i), value));
      KeyLoader.load(
          benchmarkOptions, CONNECTIONS, i -> cache.put("java-" + Workload.key(i), value));
      List<Line> lines = new ArrayList<>();
      lines.add(
          line(
              site.name(),
              "get",
              new Contender("REST", n -> ours.get(key(n))),
              new Contender("Infinispan's REST", n -> infinispanEntries.get(key(n))),
              new Contender("Java", n -> require(cache.get("java-" + key(n))))));
      lines.add(
          line(
              site.name(),
              "put",
              new Contender("REST", n -> ours.put(key(n), value)),
              new Contender("Infinispan's REST", n -> infinispanEntries.put(key(n), value)),
              new Contender("Java", n -> cache.put("java-" + key(n), value))));
      plain.drop();
      return lines;
    }
  }

  private Line line(String site, String operation, Contender... contenders) {
    benchmarkOptions.say("%s at the %s site, %d connections", operation, site, CONNECTIONS);
    ContestResults standings =
        benchmarkOptions.contest(CONNECTIONS).run(List.of(contenders), Map::of);
    return new Line(
        site, operation, standings.ratio(0, 1), standings.ratio(0, 2), standings.showings());
  }

  private String key(long number) {
    return Workload.key(WeakBenchmark.mixed(number, benchmarkOptions.records()));
  }

  private static void require(byte @Nullable [] found) {
    if (found == null) {
      throw new IllegalStateException("an existing key was not found");
    }
  }

  private static List<String> table(Figures figures) {
    List<String> table = new ArrayList<>(WideAreaBenchmark.describeLinks(figures.ways()));
    table.add("");
    table.add(
        "| site | operation | to Infinispan's | min..max | expected | to Java | REST p50 / p95 /"
            + " p99 ms | Infinispan's REST | Java | REST /s | Infinispan's /s | Java /s |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Line line : figures.lines()) {
      List<ContestantResult> showings = line.showings();
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %s | **%.2f** | %.2f..%.2f | >= %.1f | %.2f | %s | %s | %s | %,.0f | %,.0f"
                  + " | %,.0f |",
              line.site(),
              line.operation(),
              line.toInfinispan().median(),
              line.toInfinispan().min(),
              line.toInfinispan().max(),
              figures.expected(),
              line.toJava().median(),
              WideAreaBenchmark.millis(showings.get(0).latencies()),
              WideAreaBenchmark.millis(showings.get(1).latencies()),
              WideAreaBenchmark.millis(showings.get(2).latencies()),
              showings.get(0).perSecond(),
              showings.get(1).perSecond(),
              showings.get(2).perSecond()));
    }
    return table;
  }
}
