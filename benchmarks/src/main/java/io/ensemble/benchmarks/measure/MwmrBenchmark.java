package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.store.RecordCodec;
import io.ensemble.benchmarks.store.RecordStore;
import io.ensemble.benchmarks.store.RecordStores;
import io.ensemble.benchmarks.store.StoreMode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Question: how does MWMR on three sites compare with WEAK, also in the number of requests to
 * sites, and with MWMR whose stores are on all nodes of a site?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure mwmr-ratio}.
 *
 * <p>Rivals: WEAK on the same three sites; {@link WeakBenchmark} compares that with plain
 * Infinispan. And MWMR as before, when a store was a transactional cache over the nodes of a site
 * and not on one node. 16 and 64 operations are in flight, from as many threads of one client. The
 * workloads are YCSB's A and B: 10,000 records of ten fields of 100 bytes, keys by YCSB's Zipfian.
 * A read reads the record; an update merges one field, atomically in MWMR, by get and put in WEAK.
 *
 * <p>Each replica is on a node of its own, so nine replicas need three nodes at each site.
 *
 * <p>Requests are counted in slices of their own, including those in the background.
 */
final class MwmrBenchmark {

  private static final int[] IN_FLIGHT = {16, 64};
  private static final int FIELDS = 10;
  private static final int FIELD_BYTES = 100;

  /**
   * One line of the answer.
   *
   * @param toWeak rates of MWMR to those of WEAK
   * @param settledToWeak the same, including the time until the background work had ended
   * @param toOnAllNodes rates of MWMR to those of MWMR with stores on all nodes
   * @param fiveReplicas rates of MWMR with five replicas to those with three
   * @param nineReplicas rates of MWMR with nine replicas to those with three
   * @param showings of MWMR, on all nodes, with five replicas, with nine, and WEAK
   * @param mwmrRequests requests to sites for one operation in MWMR, by kind
   * @param weakRequests the same in WEAK
   * @param requestRatio requests of WEAK to those of MWMR: the ratio that would result if only
   *     requests had a cost, the same for all
   */
  public record Line(
      String workload,
      int inFlight,
      RatioSpread toWeak,
      RatioSpread settledToWeak,
      RatioSpread toOnAllNodes,
      RatioSpread fiveReplicas,
      RatioSpread nineReplicas,
      List<ContestantResult> showings,
      Map<String, Double> mwmrRequests,
      Map<String, Double> weakRequests,
      double requestRatio) {}

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;
  private final ScrambledZipfianGenerator keys;

  private MwmrBenchmark(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
    this.keys = new ScrambledZipfianGenerator(0, benchmarkOptions.records() - 1);
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new MwmrBenchmark(benchmarkOptions, federation).lines();
    return new BenchmarkResult(lines, table(lines));
  }

  /** A mode's client and its records. */
  private final class RecordClient implements AutoCloseable {

    private final String name;
    private final CountedClient client;
    private final RecordStore records;

    RecordClient(String name, StoreMode mode, int replicas, boolean isByNode) {
      this.name = name;
      client = new CountedClient(federation.sites(), new InMemoryDefinitions(), isByNode);
      CacheDefinition.Builder definition =
          CacheDefinition.of(mode + "-" + UUID.randomUUID(), mode.ensembleMode())
              .sites(FederationProcess.SITES);
      if (replicas > FederationProcess.SITES.size()) {
        definition.replicas(replicas);
      }
      EnsembleCache<String, byte[]> cache = client.cache(definition.build());
      records = RecordStores.over(client.manager(), cache);
      byte[] record = RecordCodec.encode(record());
      for (int i = 0; i < benchmarkOptions.records(); i++) {
        records.insert("user" + i, record);
      }
      client.settle();
    }

    LongConsumer operation(double readProportion) {
      return n -> {
        String key = "user" + keys.nextValue();
        if (ThreadLocalRandom.current().nextDouble() < readProportion) {
          require(records.read(key) != null);
        } else {
          require(records.update(key, change()));
        }
      };
    }

    Contender contender(double readProportion) {
      return new Contender(name, operation(readProportion), client::settle);
    }

    Map<String, Double> requests(double readProportion) {
      client.requests().take();
      int operations = benchmarkOptions.operations();
      LongConsumer operation = operation(readProportion);
      for (int i = 0; i < operations; i++) {
        operation.accept(i);
      }
      client.settle();
      Map<String, Double> each = new TreeMap<>();
      client
          .requests()
          .take()
          .forEach((kind, sent) -> each.put(kind, Math.round(100.0 * sent / operations) / 100.0));
      return each;
    }

    @Override
    public void close() {
      records.drop();
      client.close();
    }
  }

  private List<Line> lines() {
    benchmarkOptions.say(
        "loading %,d records into a cache of either mode", benchmarkOptions.records());
    List<Line> lines = new ArrayList<>();
    try (RecordClient mwmr = new RecordClient("MWMR", StoreMode.MWMR, 3, true);
        RecordClient onAllNodes = new RecordClient("MWMR on all nodes", StoreMode.MWMR, 3, false);
        RecordClient five = new RecordClient("MWMR, 5 replicas", StoreMode.MWMR, 5, true);
        RecordClient nine = new RecordClient("MWMR, 9 replicas", StoreMode.MWMR, 9, true);
        RecordClient weak = new RecordClient("WEAK", StoreMode.WEAK, 3, true)) {
      List<RecordClient> sides = List.of(mwmr, onAllNodes, five, nine, weak);
      for (int inFlight : IN_FLIGHT) {
        lines.add(line("A", inFlight, 0.5, sides));
        lines.add(line("B", inFlight, 0.95, sides));
      }
    }
    return lines;
  }

  private Line line(
      String workload, int inFlight, double readProportion, List<RecordClient> sides) {
    benchmarkOptions.say("workload %s, %d in flight", workload, inFlight);
    ContestResults standings =
        benchmarkOptions
            .contest(inFlight)
            .run(sides.stream().map(side -> side.contender(readProportion)).toList(), Map::of);
    benchmarkOptions.say("workload %s, requests counted", workload);
    Map<String, Double> ours = sides.get(0).requests(readProportion);
    Map<String, Double> weakRequests = sides.get(4).requests(readProportion);
    return new Line(
        workload,
        inFlight,
        standings.ratio(0, 4),
        standings.settledRatio(0, 4),
        standings.ratio(0, 1),
        standings.ratio(2, 0),
        standings.ratio(3, 0),
        standings.showings(),
        ours,
        weakRequests,
        Math.round(1000 * sum(weakRequests) / sum(ours)) / 1000.0);
  }

  private static double sum(Map<String, Double> requests) {
    return requests.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private static Map<String, byte[]> record() {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, byte[]> fields = new TreeMap<>();
    for (int i = 0; i < FIELDS; i++) {
      byte[] content = new byte[FIELD_BYTES];
      random.nextBytes(content);
      fields.put("field" + i, content);
    }
    return fields;
  }

  private static Map<String, byte[]> change() {
    byte[] content = new byte[FIELD_BYTES];
    ThreadLocalRandom.current().nextBytes(content);
    return Map.of("field" + ThreadLocalRandom.current().nextInt(FIELDS), content);
  }

  private static void require(boolean found) {
    if (!found) {
      throw new IllegalStateException("an existing record was not found");
    }
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| workload | in flight | to WEAK | min..max | settled | by requests"
            + " | to stores on all nodes | min..max | five replicas to three | nine to three"
            + " | requests, MWMR | requests, WEAK |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | **%.2f** | %.2f..%.2f | %.2f | %.2f | **%.2f** | %.2f..%.2f"
                  + " | %.2f | %.2f | %.2f %s | %.2f %s |",
              line.workload(),
              line.inFlight(),
              line.toWeak().median(),
              line.toWeak().min(),
              line.toWeak().max(),
              line.settledToWeak().median(),
              line.requestRatio(),
              line.toOnAllNodes().median(),
              line.toOnAllNodes().min(),
              line.toOnAllNodes().max(),
              line.fiveReplicas().median(),
              line.nineReplicas().median(),
              sum(line.mwmrRequests()),
              line.mwmrRequests(),
              sum(line.weakRequests()),
              line.weakRequests()));
    }
    table.add("");
    table.add("| workload | in flight | cache | p50 / p99 / p99.9 µs | operations /s |");
    table.add("|---|---|---|---|---|");
    for (Line line : lines) {
      for (ContestantResult showing : line.showings()) {
        table.add(
            String.format(
                Locale.ROOT,
                "| %s | %d | %s | %s | %,.0f |",
                line.workload(),
                line.inFlight(),
                showing.name(),
                WeakBenchmark.percentiles(showing.latencies()),
                showing.perSecond()));
      }
    }
    return table;
  }
}
