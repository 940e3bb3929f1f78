package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.micrometer.core.instrument.DistributionSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Question: how many round trips, and how many requests to sites, does an operation on an MWMR
 * cache take, with all sites and with one down?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure
 * round-trips}.
 *
 * <p>Rival: a plain {@code RemoteCache}. By its nature it takes one request and one round trip for
 * a get or a put, two for a conditional operation (read with version, replace), so there is no
 * measurement.
 *
 * <p>Round trips are the metric {@code ensemble.round.trips}: rounds of requests that an operation
 * waited for. Requests are counted separately, where they leave the client, and include those in
 * the background. Operations run one at a time, each kind by a client without state about any key,
 * so that the client has only the state that the operation itself creates.
 */
final class RoundTripBenchmark {

  /**
   * One line of the answer.
   *
   * @param sites the number of sites that are up, of three
   * @param promised the maximum of a mean: ARCHITECTURE's promise, and a little more for the first
   *     writes of keys that are written repeatedly
   * @param mean round trips
   * @param max the maximum of one operation
   * @param requests requests to sites for one operation, by kind
   */
  public record Line(
      String operation,
      int sites,
      double promised,
      double mean,
      double max,
      double requestsPerOperation,
      Map<String, Double> requests) {}

  private record Operation(
      String name,
      String metric,
      double promised,
      double promisedOneDown,
      BiConsumer<EnsembleCache<String, String>, Integer> call) {}

  // In this order: the later ones find what the earlier ones wrote.
  private static final List<Operation> OPERATIONS =
      List.of(
          new Operation("put of a new key", "write", 2, 4, (cache, i) -> cache.put(key(i), "a")),
          new Operation("put of a key there", "write", 2, 4, (cache, i) -> cache.put(key(i), "b")),
          new Operation("get", "read", 1, 2, (cache, i) -> require("b".equals(cache.get(key(i))))),
          new Operation(
              "get of a key not there", "read", 1, 2, (cache, i) -> cache.get("not-" + key(i))),
          new Operation(
              "replace, expected value met",
              "write",
              2,
              4,
              (cache, i) -> require(cache.replace(key(i), "b", "c"))),
          new Operation(
              "replace, expected value not met",
              "read",
              1,
              2,
              (cache, i) -> require(!cache.replace(key(i), "b", "d"))),
          new Operation(
              "putIfAbsent, absent",
              "write",
              2,
              4,
              (cache, i) -> require(cache.putIfAbsent("new-" + key(i), "a") == null)),
          new Operation(
              "compute",
              "write",
              2,
              4,
              (cache, i) -> cache.compute(key(i), (key, old) -> old + "x")),
          new Operation(
              "put of one of five keys that the client keeps writing",
              "write",
              1.1,
              2.1,
              (cache, i) -> cache.put("kept-" + i % 5, "a" + i)),
          new Operation(
              "compute of one of five keys that the client keeps writing",
              "write",
              1.1,
              2.1,
              (cache, i) -> cache.compute("kept-" + i % 5, (key, old) -> old + "x")),
          new Operation("remove", "write", 2, 4, (cache, i) -> cache.remove(key(i))));

  private RoundTripBenchmark() {}

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    Definitions definitions = new InMemoryDefinitions();
    for (String cache : List.of("all-up", "one-down")) {
      boolean allUp = cache.equals("all-up");
      CacheDefinition definition =
          CacheDefinition.of(cache, Mode.MWMR).sites(FederationProcess.SITES).build();
      try (CountedClient creator = new CountedClient(federation.sites(), definitions)) {
        creator.cache(definition);
      }
      if (!allUp) {
        federation.kill("rome");
      }
      for (Operation operation : OPERATIONS) {
        benchmarkOptions.say("%s, %s", operation.name(), cache);
        try (CountedClient client = new CountedClient(federation.sites(), definitions)) {
          lines.add(line(benchmarkOptions, client, client.cache(definition), operation, allUp));
        }
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private static Line line(
      BenchmarkOptions benchmarkOptions,
      CountedClient client,
      EnsembleCache<String, String> cache,
      Operation operation,
      boolean allUp) {
    cache.get("warm-up"); // Connects, and detects the sites that are down.
    DistributionSummary reads = client.rounds("read");
    long readsBefore = reads.count();
    double totalBefore = reads.totalAmount();
    client.requests().take();

    for (int i = 0; i < benchmarkOptions.operations(); i++) {
      operation.call().accept(cache, i);
    }

    Map<String, Long> requests = client.requests().take();
    DistributionSummary rounds = client.rounds(operation.metric());
    boolean isRead = operation.metric().equals("read");
    long count = rounds.count() - (isRead ? readsBefore : 0);
    double total = rounds.totalAmount() - (isRead ? totalBefore : 0);
    if (count != benchmarkOptions.operations()) {
      throw new IllegalStateException(
          "every operation is counted once; expected=%d counted=%d operation=%s"
              .formatted(benchmarkOptions.operations(), count, operation.name()));
    }
    Map<String, Double> each = new java.util.TreeMap<>();
    requests.forEach((kind, sent) -> each.put(kind, rounded((double) sent / count)));
    return new Line(
        operation.name(),
        allUp ? 3 : 2,
        allUp ? operation.promised() : operation.promisedOneDown(),
        rounded(total / count),
        rounds.max(),
        rounded(requests.values().stream().mapToLong(Long::longValue).sum() / (double) count),
        each);
  }

  private static double rounded(double number) {
    return Math.round(number * 100) / 100.0;
  }

  private static String key(int number) {
    return "user" + number;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("an operation answered what it must not");
    }
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add("| operation | sites up | round trips, mean | most | promised | requests to sites |");
    table.add("|---|---|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d of 3 | **%.2f** | %.0f | <= %.1f | %.2f %s |",
              line.operation(),
              line.sites(),
              line.mean(),
              line.max(),
              line.promised(),
              line.requestsPerOperation(),
              line.requests()));
    }
    return table;
  }
}
