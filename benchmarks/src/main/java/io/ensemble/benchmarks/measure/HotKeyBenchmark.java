package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Question: how often can many writers of one process change one key?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure hot-key}.
 *
 * <p>16 and 64 threads increment one counter by {@code merge}, in MWMR and in SWMR on three sites.
 * The first rivals are the same caches with a fair lock around each call. Their writes are made one
 * after the other, as they were before waiting writes were combined. The second rival is such an
 * MWMR cache whose stores are on all nodes of a site, as stores were formerly. At the end every
 * counter is compared with the number of its increments.
 */
final class HotKeyBenchmark {

  private static final int[] WRITERS = {16, 64};
  private static final String KEY = "counter";

  /**
   * One line of the answer.
   *
   * @param expected the required minimum, set before the measurement; 0 for none
   * @param ratio the rate of the mode to that of its writers one after the other
   * @param toOnAllNodes the rate of the mode to that of MWMR with stores on all nodes, one after
   *     the other
   */
  public record Line(
      String mode,
      int writers,
      double expected,
      RatioSpread ratio,
      RatioSpread toOnAllNodes,
      List<ContestantResult> showings) {}

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;

  private HotKeyBenchmark(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new HotKeyBenchmark(benchmarkOptions, federation).lines();
    return new BenchmarkResult(lines, table(lines));
  }

  /** A cache with a counter. */
  private final class HotKeyClient implements AutoCloseable {

    private final String name;
    private final boolean isByTurns;
    private final CountedClient client;
    private final EnsembleCache<String, Long> cache;
    private final AtomicLong increments = new AtomicLong();
    private final ReentrantLock incrementLock = new ReentrantLock(true);

    HotKeyClient(String name, Mode mode, boolean isByNode, boolean isByTurns) {
      this.name = name;
      this.isByTurns = isByTurns;
      client = new CountedClient(federation.sites(), new InMemoryDefinitions(), isByNode);
      cache =
          client.cache(
              CacheDefinition.of("hot-" + UUID.randomUUID(), mode)
                  .sites(FederationProcess.SITES)
                  .build());
    }

    Contender contender() {
      return new Contender(name, isByTurns ? number -> incrementInTurn() : number -> increment());
    }

    private void increment() {
      cache.merge(KEY, 1L, Long::sum);
      increments.incrementAndGet();
    }

    private void incrementInTurn() {
      incrementLock.lock();
      try {
        increment();
      } finally {
        incrementLock.unlock();
      }
    }

    @Override
    public void close() {
      Long counted = cache.get(KEY);
      client.manager().deleteCache(cache.getName());
      client.close();
      if (counted == null || counted != increments.get()) {
        throw new IllegalStateException(
            "%s counted %s of %d increments".formatted(name, counted, increments.get()));
      }
    }
  }

  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    try (HotKeyClient mwmr = new HotKeyClient("MWMR", Mode.MWMR, true, false);
        HotKeyClient mwmrInTurn =
            new HotKeyClient("MWMR, one after the other", Mode.MWMR, true, true);
        HotKeyClient swmr = new HotKeyClient("SWMR", Mode.SWMR, true, false);
        HotKeyClient swmrInTurn =
            new HotKeyClient("SWMR, one after the other", Mode.SWMR, true, true);
        HotKeyClient onAllNodes =
            new HotKeyClient("MWMR on all nodes, one after the other", Mode.MWMR, false, true)) {
      List<HotKeyClient> sides = List.of(mwmr, mwmrInTurn, swmr, swmrInTurn, onAllNodes);
      for (int writers : WRITERS) {
        benchmarkOptions.say("%d writers", writers);
        ContestResults standings =
            benchmarkOptions
                .contest(writers)
                .run(sides.stream().map(HotKeyClient::contender).toList(), Map::of);
        List<ContestantResult> all = standings.showings();
        double expected = writers == 64 ? 8 : 0;
        lines.add(
            new Line(
                "MWMR",
                writers,
                expected,
                standings.ratio(0, 1),
                standings.ratio(0, 4),
                List.of(all.get(0), all.get(1), all.get(4))));
        lines.add(
            new Line(
                "SWMR",
                writers,
                expected,
                standings.ratio(2, 3),
                standings.ratio(2, 4),
                List.of(all.get(2), all.get(3))));
      }
    }
    return lines;
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| mode | writers | to one after the other | min..max | expected"
            + " | to MWMR on all nodes, one after the other |");
    table.add("|---|---|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | **%.1f** | %.1f..%.1f | %s | %.1f |",
              line.mode(),
              line.writers(),
              line.ratio().median(),
              line.ratio().min(),
              line.ratio().max(),
              line.expected() == 0 ? "" : ">= " + line.expected(),
              line.toOnAllNodes().median()));
    }
    table.add("");
    table.add("| writers | cache | p50 / p99 / p99.9 µs | increments /s |");
    table.add("|---|---|---|---|");
    for (Line line : lines) {
      line.showings().forEach(showing -> table.add(showing.row(line.writers())));
    }
    return table;
  }
}
