package io.ensemble.benchmarks.outage;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.OutagePlan.Kill;
import io.ensemble.benchmarks.contest.ParallelRange;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.site.hotrod.NodeKey;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessSite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Question: after the loss of a site, or of the node of a site that holds the replica of a cache,
 * how long does it take until every entry is at three sites again?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure repair --records 10000}, and with 100000.
 *
 * <p>There are three sites of three nodes, every node a process, near and in memory, with entries
 * of 1,000 bytes. One process runs maintenance, and makes no writes meanwhile. All nodes of one
 * site, or the one node, are killed with {@code kill -9} at the same time and started again, empty,
 * immediately; no command is sent. A WEAK cache is on all nodes of a site and loses no data with
 * one. The time counts from the kill. The site is whole when the catalog names its new store, which
 * is filled by then. After that another site is killed, and every entry is read. There is no rival,
 * because a plain Infinispan has no other site.
 */
public final class RepairBenchmark {

  private static final String LOST = "oslo";
  private static final String OTHER = "lyon";
  private static final int THREADS = 32;
  private static final int VALUE_BYTES = 1_000;
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofMinutes(30);

  /**
   * The result of one mode.
   *
   * @param lost the target of the kill, {@code node} or {@code site}
   * @param startSeconds from the kill until all killed nodes are healthy again, and empty
   * @param wholeSeconds from the kill until the site is whole
   * @param missing entries that were missing after another site had then been killed
   */
  public record Line(
      String mode,
      String lost,
      int entries,
      double startSeconds,
      double wholeSeconds,
      int missing) {

    /** The time since the site could be filled. */
    public double repairSeconds() {
      return wholeSeconds - startSeconds;
    }
  }

  private final BenchmarkOptions benchmarkOptions;
  private final byte[] value = new byte[VALUE_BYTES];

  private RepairBenchmark(BenchmarkOptions benchmarkOptions) {
    this.benchmarkOptions = benchmarkOptions;
    new SplittableRandom(1).nextBytes(value);
  }

  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines = new ArrayList<>();
    for (Mode mode : benchmarkOptions.outage().modes()) {
      for (Kill kill : benchmarkOptions.outage().kills()) {
        if (kill == Kill.SITE || (kill == Kill.NODE && mode != Mode.WEAK)) {
          lines.add(new RepairBenchmark(benchmarkOptions).line(mode, kill));
        }
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private Line line(Mode mode, Kill kill) {
    try (TemporaryDirectory directory = TemporaryDirectory.make("ensemble-repair");
        ProcessFederation federation =
            benchmarkOptions.federation(mode, directory.path().resolve("nodes"));
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder()
                .catalog(directory.path().resolve("catalog").toString())
                .maintenance(true)
                .build()) {
      federation.sites().forEach(site -> manager.membership().add(entry(site)));
      EnsembleCache<String, byte[]> cache = manager.createCache(definition(mode));
      benchmarkOptions.say("%s: loading %,d entries", mode, benchmarkOptions.records());
      KeyLoader.load(benchmarkOptions, THREADS, i -> cache.put(Workload.key(i), value));
      return line(mode, kill, federation, manager, cache, directory.path().resolve("catalog"));
    }
  }

  private static SiteEntry entry(ProcessSite site) {
    return SiteEntry.open(site.name(), endpoints(site), SiteStorage.MEMORY);
  }

  private static List<Endpoint> endpoints(ProcessSite site) {
    return site.endpoints().stream()
        .map(at -> new Endpoint(at.getHostString(), at.getPort()))
        .toList();
  }

  private static CacheDefinition definition(Mode mode) {
    return CacheDefinition.of("repair", mode)
        .sites(FederationProcess.SITES)
        .acknowledgement(Acknowledgement.MAJORITY)
        .deadline(DEADLINE)
        .build();
  }

  private Line line(
      Mode mode,
      Kill what,
      ProcessFederation federation,
      EnsembleCacheManager manager,
      EnsembleCache<String, byte[]> cache,
      Path catalog) {
    ProcessSite lost = federation.site(LOST);
    Optional<String> before = store(manager);
    long kill = System.nanoTime();
    if (what == Kill.SITE) {
      lost.kill();
      lost.start();
    } else {
      int holder = holder(lost, before.orElseThrow());
      lost.killNodes(holder);
      lost.startNode(holder);
    }
    double start = (System.nanoTime() - kill) / 1e9;
    updateEndpoints(lost, catalog);
    String word = what.toString();
    benchmarkOptions.say("%s: the %s is back, empty, after %.1f s", mode, word, start);
    BlockingCall.poll(() -> hasNewStore(manager, before) ? Boolean.TRUE : null, LONGEST);
    double whole = (System.nanoTime() - kill) / 1e9;
    if (!hasNewStore(manager, before)) {
      throw new IllegalStateException("the site is not whole after " + LONGEST);
    }
    benchmarkOptions.say("%s: whole after %.1f s; killing %s and reading", mode, whole, OTHER);
    federation.site(OTHER).kill();
    return new Line(mode.name(), word, benchmarkOptions.records(), start, whole, missing(cache));
  }

  /** The index of the node of the site that has the store. */
  private static int holder(ProcessSite site, String store) {
    List<Endpoint> nodes = endpoints(site);
    for (int node = 0; node < nodes.size(); node++) {
      if (store.endsWith(NodeKey.of(nodes.get(node)))) {
        return node;
      }
    }
    throw new IllegalStateException(
        "no node has the store; store=%s nodes=%s".formatted(store, nodes));
  }

  private static Optional<String> store(EnsembleCacheManager manager) {
    return manager.stored("repair").orElseThrow().store(LOST);
  }

  private static boolean hasNewStore(EnsembleCacheManager manager, Optional<String> before) {
    Optional<String> now = store(manager);
    return now.isPresent() && !now.equals(before);
  }

  /** Updates the site in the catalog, because a restarted site may have other ports. */
  private static void updateEndpoints(ProcessSite site, Path catalog) {
    try (FileDefinitions definitions = FileDefinitions.in(catalog)) {
      SiteEntry known =
          definitions.sites().get(site.name()).toCompletableFuture().join().orElseThrow();
      if (!known.endpoints().equals(endpoints(site))) {
        definitions.sites().replace(known.at(endpoints(site))).toCompletableFuture().join();
      }
    }
  }

  private int missing(EnsembleCache<String, byte[]> cache) {
    AtomicInteger missing = new AtomicInteger();
    ParallelRange.each(
        THREADS,
        0,
        benchmarkOptions.records(),
        i -> {
          if (cache.get(Workload.key(i)) == null) {
            missing.incrementAndGet();
          }
        });
    return missing.get();
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| mode | lost | entries | back, empty | whole, from the kill | of that, repair | entries a"
            + " second | missing |");
    table.add("|---|---|---|---|---|---|---|---|");
    lines.forEach(
        line ->
            table.add(
                String.format(
                    Locale.ROOT,
                    "| %s | %s | %,d | %.1f s | **%.1f s** | %.1f s | %,.0f | %d |",
                    line.mode(),
                    line.lost(),
                    line.entries(),
                    line.startSeconds(),
                    line.wholeSeconds(),
                    line.repairSeconds(),
                    line.entries() / line.repairSeconds(),
                    line.missing())));
    return table;
  }
}
