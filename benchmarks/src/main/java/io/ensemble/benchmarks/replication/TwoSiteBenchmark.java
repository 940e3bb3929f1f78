package io.ensemble.benchmarks.replication;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: how long do reads and writes take on two sites, in round trips between them?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure two-sites}.
 *
 * <p>The setting of LEADS D2.6, section 5.4, table 4: every key at both sites, four threads,
 * workloads A to D of YCSB with values of {@value ReplicationContest#VALUE_BYTES} bytes. The client
 * is near the first site, the second is behind relays. The round trip is 15 ms and the bandwidth 10
 * Mb/s in each direction. With the paper's 2.3 ms, the work of nodes that share two processors
 * would be a large part of the latency.
 */
public final class TwoSiteBenchmark {

  /**
   * One line of the answer.
   *
   * @param operation read or write
   * @param promised round trips between the sites that it waits for
   * @param p50Trips its median latency in measured round trips
   * @param meanTrips its mean
   * @param expected the accepted maximum, set before the measurement
   */
  public record Line(
      String workload,
      String approach,
      String operation,
      int promised,
      Latencies latencies,
      double p50Trips,
      double meanTrips,
      double expected) {}

  /**
   * The complete answer.
   *
   * @param ways the measurements of the link before the run
   */
  public record Figures(List<SiteLinkReport> ways, int threads, List<Line> lines) {}

  private static final int THREADS = 4;
  private static final double OF_ROUND_TRIP = 1.2;
  private static final List<Workload> WORKLOADS =
      List.of(
          new Workload("A", 0.5, Workload.KeyDistribution.ZIPFIAN),
          new Workload("B", 0.95, Workload.KeyDistribution.ZIPFIAN),
          new Workload("C", 1, Workload.KeyDistribution.ZIPFIAN),
          new Workload("D", 0.95, Workload.KeyDistribution.LATEST));

  private TwoSiteBenchmark() {}

  public static BenchmarkResult answer(
      BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<SiteLinkReport> links = federation.lines();
    double roundTripMicros = 1e3 * ThroughputBound.roundTripMillis(links);
    List<Line> lines = new ArrayList<>();
    try (ReplicationContest replicationContest =
        new ReplicationContest(
            benchmarkOptions,
            federation,
            ReplicationScheme.modes(),
            FederationProcess.SITES.subList(0, 2))) {
      for (Workload workload : WORKLOADS) {
        List<ContestantResult> showings = replicationContest.contest(workload, THREADS).showings();
        for (int i = 0; i < showings.size(); i++) {
          ReplicationScheme approach = replicationContest.approaches().get(i);
          ContestantResult showing = showings.get(i);
          add(lines, workload, approach, "read", showing.reads(), roundTripMicros);
          add(lines, workload, approach, "write", showing.writes(), roundTripMicros);
        }
      }
    }
    Figures figures = new Figures(links, THREADS, lines);
    return new BenchmarkResult(figures, table(figures));
  }

  private static void add(
      List<Line> lines,
      Workload workload,
      ReplicationScheme approach,
      String operation,
      Latencies latencies,
      double roundTripMicros) {
    if (latencies.count() == 0) {
      return;
    }
    int promised = operation.equals("read") ? approach.readTrips() : approach.writeTrips();
    lines.add(
        new Line(
            workload.name(),
            approach.toString(),
            operation,
            promised,
            latencies,
            latencies.p50Micros() / roundTripMicros,
            latencies.meanMicros() / roundTripMicros,
            OF_ROUND_TRIP * Math.max(1, promised)));
  }

  private static List<String> table(Figures figures) {
    List<String> table = new ArrayList<>(WideAreaBenchmark.describeLinks(figures.ways()));
    table.add("");
    table.add(
        "| workload | | operation | promised trips | p50 / p95 / p99 ms | p50 in round trips | mean"
            + " | expected |");
    table.add("|---|---|---|---|---|---|---|---|");
    for (Line line : figures.lines()) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %d | %s | **%.2f** | **%.2f** | <= %.1f |",
              line.workload(),
              line.approach(),
              line.operation(),
              line.promised(),
              WideAreaBenchmark.millis(line.latencies()),
              line.p50Trips(),
              line.meanTrips(),
              line.expected()));
    }
    return table;
  }
}
