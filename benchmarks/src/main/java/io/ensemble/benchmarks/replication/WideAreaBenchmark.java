package io.ensemble.benchmarks.replication;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Question: what throughput do the modes have when two of three sites are far, in comparison with
 * the bound of the links and with the two-trip quorum of the paper?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure wide-area}.
 *
 * <p>The setting of LEADS D2.6, section 5.3, table 3: the client is near the first site, relays are
 * in front of all nodes of the others, with a round trip of 15 ms and 10 Mb/s in each direction.
 * Workload A, half writes, uniform, runs on two sites; workload B, one write in twenty, Zipfian, on
 * three; reads alone, uniform, on three. Values of {@value ReplicationContest#VALUE_BYTES} bytes
 * are written whole.
 *
 * <p>There are few threads on purpose: eight of them waiting for round trips use at most half of
 * two processors and of the links, so that round trips are the limit. Operations that the local
 * site answers are limited by the processors for reads, and by the links for writes. Hence the
 * "settled" rates next to the bound, which count the time until all copies are made.
 */
public final class WideAreaBenchmark {

  /**
   * One line of the answer.
   *
   * @param trips round trips to far sites that an operation waits for, as promised, mean
   * @param showing the performance
   * @param bound the bound of the links
   * @param ofBound the ratio of the settled rate to the bound; null when there is none
   * @param expected the required minimum of that ratio, set before the measurement; null for none
   */
  public record Line(
      String workload,
      int replication,
      String approach,
      double trips,
      ContestantResult showing,
      ThroughputBound bound,
      @Nullable Double ofBound,
      @Nullable Double expected) {}

  /**
   * The complete answer.
   *
   * @param ways the measurements of the links before the run
   * @param mwmrToTwoTripReads the rate of reads in MWMR to that of the two-trip quorum, round by
   *     round
   * @param expectedOfReads the required minimum of that ratio
   */
  public record Figures(
      List<SiteLinkReport> ways,
      int threads,
      List<Line> lines,
      RatioSpread mwmrToTwoTripReads,
      double expectedOfReads) {}

  private static final double OF_BOUND = 0.8;
  private static final double OF_READS = 1.7;
  private static final List<String> SITES = FederationProcess.SITES;
  private static final Workload A = new Workload("A", 0.5, Workload.KeyDistribution.UNIFORM);
  private static final Workload B = new Workload("B", 0.95, Workload.KeyDistribution.ZIPFIAN);
  private static final Workload READS = new Workload("reads", 1, Workload.KeyDistribution.UNIFORM);

  private final BenchmarkOptions benchmarkOptions;
  private final List<SiteLinkReport> links;
  private final List<Line> lines = new ArrayList<>();

  private WideAreaBenchmark(BenchmarkOptions benchmarkOptions, List<SiteLinkReport> links) {
    this.benchmarkOptions = benchmarkOptions;
    this.links = links;
  }

  public static BenchmarkResult answer(
      BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    WideAreaBenchmark question = new WideAreaBenchmark(benchmarkOptions, federation.lines());
    Figures figures = question.figures(federation);
    return new BenchmarkResult(figures, table(figures));
  }

  private Figures figures(FederationProcess federation) {
    try (ReplicationContest two =
        new ReplicationContest(
            benchmarkOptions,
            federation,
            List.of(ReplicationScheme.values()),
            SITES.subList(0, 2))) {
      measure(two, A, 2);
    }
    try (ReplicationContest three =
        new ReplicationContest(
            benchmarkOptions, federation, List.of(ReplicationScheme.values()), SITES)) {
      measure(three, B, 3);
      ContestResults reads = measure(three, READS, 3);
      RatioSpread ratio =
          reads.ratio(
              three.approaches().indexOf(ReplicationScheme.MWMR),
              three.approaches().indexOf(ReplicationScheme.TWO_TRIPS));
      return new Figures(links, benchmarkOptions.farThreads(), lines, ratio, OF_READS);
    }
  }

  private ContestResults measure(
      ReplicationContest replicationContest, Workload workload, int replication) {
    List<SiteLinkReport> used = links.subList(0, Math.min(links.size(), replication - 1));
    ContestResults standings = replicationContest.contest(workload, benchmarkOptions.farThreads());
    for (int i = 0; i < replicationContest.approaches().size(); i++) {
      ReplicationScheme approach = replicationContest.approaches().get(i);
      ContestantResult showing = standings.showings().get(i);
      double trips = approach.trips(showing.reads().count(), showing.writes().count());
      ThroughputBound bound =
          ThroughputBound.of(
              benchmarkOptions.farThreads(),
              trips,
              showing.latencies().count(),
              showing.spent(),
              used);
      lines.add(
          new Line(
              workload.name(),
              replication,
              approach.toString(),
              trips,
              showing,
              bound,
              Double.isInfinite(bound.perSecond())
                  ? null
                  : showing.settledPerSecond() / bound.perSecond(),
              approach == ReplicationScheme.MWMR ? OF_BOUND : null));
    }
    return standings;
  }

  /** The links in words. */
  public static List<String> describeLinks(List<SiteLinkReport> links) {
    return links.stream()
        .map(
            link ->
                String.format(
                    Locale.ROOT,
                    "The way to %s: %.1f ms (p99 %.1f) there and back for %.1f asked, %.2f and %.2f"
                        + " Mb/s there and back for %.1f.",
                    link.site(),
                    link.roundTripP50Millis(),
                    link.roundTripP99Millis(),
                    link.wantedRoundTripMillis(),
                    link.requestMegabits(),
                    link.replyMegabits(),
                    link.wantedMegabits()))
        .toList();
  }

  private static List<String> table(Figures figures) {
    List<String> table = new ArrayList<>(describeLinks(figures.ways()));
    table.add("");
    table.add(
        "| workload | sites | | trips | /s | settled /s | bound by trips | by bytes (bytes each,"
            + " where) | of bound | expected | reads p50 / p95 / p99 ms | writes p50 / p95 / p99 ms"
            + " |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Line line : figures.lines()) {
      ThroughputBound bound = line.bound();
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | %s | %.2f | %,.0f | %,.0f | %s | %s | **%s** | %s | %s | %s |",
              line.workload(),
              line.replication(),
              line.approach(),
              line.trips(),
              line.showing().perSecond(),
              line.showing().settledPerSecond(),
              formatOrDash(bound.byRoundTrips(), "%,.0f"),
              bound.busiest() == null
                  ? "-"
                  : String.format(
                      Locale.ROOT,
                      "%,.0f (%,.0f, %s)",
                      bound.byBytes(),
                      bound.bytesPerOperation(),
                      bound.busiest()),
              formatOrDash(line.ofBound(), "%.2f"),
              formatOrDash(line.expected(), ">= %.2f"),
              millis(line.showing().reads()),
              millis(line.showing().writes())));
    }
    table.add("");
    table.add(
        String.format(
            Locale.ROOT,
            "%d threads. Reads alone, MWMR to the two-trip quorum: **%.2f** (%.2f..%.2f), expected"
                + " >= %.2f.",
            figures.threads(),
            figures.mwmrToTwoTripReads().median(),
            figures.mwmrToTwoTripReads().min(),
            figures.mwmrToTwoTripReads().max(),
            figures.expectedOfReads()));
    return table;
  }

  private static String formatOrDash(@Nullable Double value, String format) {
    return value == null ? "-" : String.format(Locale.ROOT, format, value);
  }

  /** Percentiles in words; a dash when there were no operations. */
  public static String millis(Latencies latencies) {
    return latencies.count() == 0
        ? "-"
        : String.format(
            Locale.ROOT,
            "%.2f / %.2f / %.2f",
            latencies.p50Micros() / 1e3,
            latencies.p95Micros() / 1e3,
            latencies.p99Micros() / 1e3);
  }
}
