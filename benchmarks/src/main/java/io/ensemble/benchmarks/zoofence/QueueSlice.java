package io.ensemble.benchmarks.zoofence;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * The result of one system in one round.
 *
 * @param elements acknowledged elements, during the counted time or not
 * @param spent processor time of all programs meanwhile
 * @param own nanoseconds of additions to the sites' queues during the counted time
 */
record QueueSlice(long millis, long elements, Duration spent, Histogram own, Histogram shared) {

  double perSecond() {
    return 1e3 * (own.getTotalCount() + shared.getTotalCount()) / millis;
  }

  /** Processor time of an operation, by clients and servers together. */
  double processorMicros() {
    return spent.toNanos() / 1e3 / Math.max(1, elements);
  }

  /** Latencies of both queues together. */
  Histogram all() {
    Histogram both = own.copy();
    both.add(shared);
    return both;
  }

  QueueSlice and(QueueSlice other) {
    Histogram owns = own.copy();
    owns.add(other.own);
    Histogram shareds = shared.copy();
    shareds.add(other.shared);
    return new QueueSlice(
        millis + other.millis, elements + other.elements, spent.plus(other.spent), owns, shareds);
  }

  /**
   * Sums up the reports of the sites.
   *
   * @throws IllegalStateException if a queue does not hold the acknowledged elements: such a run is
   *     useless
   */
  static QueueSlice of(
      QueueTask task, Duration spent, List<QueueReport> added, List<QueueReport> counted) {
    long acknowledged = elements(added);
    long there = elements(counted);
    if (acknowledged != there) {
      throw new IllegalStateException(
          "elements were lost, or added twice; system=%s slice=%s acknowledged=%d found=%d"
              .formatted(task.system(), task.slice(), acknowledged, there));
    }
    return new QueueSlice(
        task.millis(),
        acknowledged,
        spent,
        sum(added, QueueReport::ownLatencies),
        sum(added, QueueReport::sharedLatencies));
  }

  private static long elements(List<QueueReport> reports) {
    return reports.stream().mapToLong(r -> r.ownElements() + r.sharedElements()).sum();
  }

  private static Histogram sum(
      List<QueueReport> reports, Function<QueueReport, Histogram> histogram) {
    Histogram all = new Histogram(3);
    reports.forEach(report -> all.add(histogram.apply(report)));
    return all;
  }
}
