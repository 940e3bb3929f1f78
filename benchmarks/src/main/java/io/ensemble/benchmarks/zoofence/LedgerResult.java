package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.process.HistogramText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The performance of BookKeeper with one of the two systems.
 *
 * @param entries the entries of a ledger
 * @param bytes the size of an entry
 * @param entriesPerSecond acknowledged entries per second, the median of the rounds
 * @param ratio to the plain ZooKeeper's rate, round by round
 * @param making the latency of the creation of a ledger
 * @param closing the latency of the closing of a ledger
 * @param makingHistogram in nanoseconds, as HdrHistogram compresses it, in base 64
 * @param closingHistogram the same
 */
public record LedgerResult(
    int entries,
    int bytes,
    String metadata,
    double entriesPerSecond,
    RatioSpread ratio,
    Latencies making,
    Latencies closing,
    String makingHistogram,
    String closingHistogram) {

  static LedgerResult of(
      int entries,
      int bytes,
      LedgerTestbed.MetadataStore metadata,
      List<LedgerSlice> slices,
      List<LedgerSlice> plain) {
    LedgerSlice sum = slices.stream().reduce(LedgerSlice::and).orElseThrow();
    return new LedgerResult(
        entries,
        bytes,
        metadata.title(),
        RatioSpread.of(slices.stream().map(LedgerSlice::perSecond).toList()).median(),
        RatioSpread.of(
            IntStream.range(0, slices.size())
                .mapToObj(i -> slices.get(i).perSecond() / plain.get(i).perSecond())
                .toList()),
        Latencies.of(sum.making()),
        Latencies.of(sum.closing()),
        HistogramText.of(sum.making()),
        HistogramText.of(sum.closing()));
  }

  /** A table in Markdown. */
  static List<String> table(List<LedgerResult> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| bytes | entries a ledger | metadata in | entries a second | to ZooKeeper (min..max) |"
            + " ledgers made: number, mean / p50 / p95 / p99 ms | closed: the same |");
    table.add("|---|---|---|---|---|---|---|");
    for (LedgerResult line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %d | %d | %s | %,.0f | **%.2f** (%.2f..%.2f) | %s | %s |",
              line.bytes(),
              line.entries(),
              line.metadata(),
              line.entriesPerSecond(),
              line.ratio().median(),
              line.ratio().min(),
              line.ratio().max(),
              QueueResult.latencies(line.making()),
              QueueResult.latencies(line.closing())));
    }
    return table;
  }
}
