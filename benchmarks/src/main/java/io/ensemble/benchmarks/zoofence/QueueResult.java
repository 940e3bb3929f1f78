package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.process.HistogramText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The performance of one system at one setting.
 *
 * @param clients the clients of each site
 * @param perSecond the rate of all sites, the median of the rounds
 * @param toByHand its rate to that of the system divided by hand, round by round
 * @param toSpanning its rate to that of the spanning ensemble
 * @param processorMicros processor time of an operation, by clients and servers of all sites
 * @param own the latency of additions to the sites' queues
 * @param shared the latency of additions to the shared one
 * @param histogram of both, in nanoseconds, as HdrHistogram compresses it, in base 64
 */
public record QueueResult(
    int locality,
    int clients,
    String system,
    double perSecond,
    RatioSpread toByHand,
    RatioSpread toSpanning,
    double processorMicros,
    Latencies all,
    Latencies own,
    Latencies shared,
    String histogram) {

  static QueueResult of(
      int locality,
      int clients,
      QueueSystem system,
      List<QueueSlice> slices,
      List<QueueSlice> byHand,
      List<QueueSlice> spanning) {
    QueueSlice sum = slices.stream().reduce(QueueSlice::and).orElseThrow();
    return new QueueResult(
        locality,
        clients,
        system.title(),
        RatioSpread.of(slices.stream().map(QueueSlice::perSecond).toList()).median(),
        ratio(slices, byHand),
        ratio(slices, spanning),
        sum.processorMicros(),
        Latencies.of(sum.all()),
        Latencies.of(sum.own()),
        Latencies.of(sum.shared()),
        HistogramText.of(sum.all()));
  }

  private static RatioSpread ratio(List<QueueSlice> slices, List<QueueSlice> others) {
    return RatioSpread.of(
        IntStream.range(0, slices.size())
            .mapToObj(i -> slices.get(i).perSecond() / others.get(i).perSecond())
            .toList());
  }

  /** A table in Markdown. */
  static List<String> table(List<QueueResult> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| locality % | clients a site | | a second | to divided by hand (min..max) | to spanning"
            + " (min..max) | processor µs | site's queue: operations, mean / p50 / p95 / p99 ms |"
            + " shared queue: the same |");
    table.add("|---|---|---|---|---|---|---|---|---|");
    for (QueueResult line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %d | %d | %s | %,.0f | %s | %s | %,.0f | %s | %s |",
              line.locality(),
              line.clients(),
              line.system(),
              line.perSecond(),
              ratio(line.toByHand()),
              ratio(line.toSpanning()),
              line.processorMicros(),
              latencies(line.own()),
              latencies(line.shared())));
    }
    return table;
  }

  private static String ratio(RatioSpread ratio) {
    return String.format(
        Locale.ROOT, "**%.2f** (%.2f..%.2f)", ratio.median(), ratio.min(), ratio.max());
  }

  /** Number, mean and percentiles in milliseconds. */
  static String latencies(Latencies of) {
    if (of.count() == 0) {
      return "-";
    }
    return String.format(
        Locale.ROOT,
        "%,d: %.2f / %.2f / %.2f / %.2f",
        of.count(),
        of.meanMicros() / 1e3,
        of.p50Micros() / 1e3,
        of.p95Micros() / 1e3,
        of.p99Micros() / 1e3);
  }
}
