package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.process.HistogramText;
import org.HdrHistogram.Histogram;

/**
 * The result of one round.
 *
 * @param entries the entries of the ledgers that began during the counted time
 * @param making nanoseconds of the creation of a ledger
 * @param closing the same of the closing of one
 */
record LedgerSlice(long millis, long entries, Histogram making, Histogram closing) {

  /** Parses the report of BookKeeper's program. */
  static LedgerSlice read(String line, long millis) {
    String[] each = line.split(" ", -1);
    return new LedgerSlice(
        millis, Long.parseLong(each[0]), HistogramText.read(each[1]), HistogramText.read(each[2]));
  }

  double perSecond() {
    return 1e3 * entries / millis;
  }

  LedgerSlice and(LedgerSlice other) {
    Histogram makings = making.copy();
    makings.add(other.making);
    Histogram closings = closing.copy();
    closings.add(other.closing);
    return new LedgerSlice(millis + other.millis, entries + other.entries, makings, closings);
  }
}
