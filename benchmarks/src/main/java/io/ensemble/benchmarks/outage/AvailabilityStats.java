package io.ensemble.benchmarks.outage;

import io.ensemble.benchmarks.contest.Latencies;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The availability for callers, computed from {@link OperationSample}s. Pure. */
final class AvailabilityStats {

  private static final double NANOS_PER_SECOND = 1e9;

  private AvailabilityStats() {}

  /**
   * The longest time without a completed operation, in seconds: between two completed ones, or from
   * the beginning to the first, or from the last to the end.
   *
   * @param fromNanos the beginning
   * @param toNanos the end
   */
  static double longestGapSeconds(List<OperationSample> samples, long fromNanos, long toNanos) {
    long last = fromNanos;
    long longest = 0;
    long[] ends =
        samples.stream()
            .filter(OperationSample::done)
            .mapToLong(OperationSample::endedNanos)
            .filter(end -> end >= fromNanos && end <= toNanos)
            .sorted()
            .toArray();
    for (long end : ends) {
      longest = Math.max(longest, end - last);
      last = end;
    }
    return Math.max(longest, toNanos - last) / NANOS_PER_SECOND;
  }

  /** The number of operations completed in each second of {@code seconds}. */
  static double[] perSecond(List<OperationSample> samples, int seconds) {
    double[] done = new double[seconds];
    for (OperationSample sample : samples) {
      int second = (int) Math.floorDiv(sample.endedNanos(), (long) NANOS_PER_SECOND);
      if (sample.done() && second >= 0 && second < seconds) {
        done[second]++;
      }
    }
    return done;
  }

  /**
   * Of the operations due to begin in {@code fromNanos} to {@code toNanos}, the share completed
   * within {@code deadlineNanos} of that; 1 if there were none.
   */
  static double withinDeadline(
      List<OperationSample> samples, long fromNanos, long toNanos, long deadlineNanos) {
    List<OperationSample> due =
        samples.stream()
            .filter(each -> each.intendedNanos() >= fromNanos && each.intendedNanos() < toNanos)
            .toList();
    long done =
        due.stream().filter(each -> each.done() && each.latencyNanos() <= deadlineNanos).count();
    return due.isEmpty() ? 1 : (double) done / due.size();
  }

  /** Latencies of completed operations, from the time at which they were due to begin. */
  static Latencies latencies(List<OperationSample> samples) {
    Histogram histogram = new Histogram(3);
    samples.stream()
        .filter(OperationSample::done)
        .forEach(each -> histogram.recordValue(each.latencyNanos()));
    return Latencies.of(histogram);
  }
}
