package io.ensemble.benchmarks.contest;

import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds.
 *
 * @param count operations
 */
public record Latencies(
    long count,
    double meanMicros,
    double p50Micros,
    double p95Micros,
    double p99Micros,
    double p999Micros,
    double maxMicros) {

  /** The latencies of a histogram of nanoseconds. */
  public static Latencies of(Histogram nanos) {
    return new Latencies(
        nanos.getTotalCount(),
        micros(nanos.getMean()),
        micros(nanos.getValueAtPercentile(50)),
        micros(nanos.getValueAtPercentile(95)),
        micros(nanos.getValueAtPercentile(99)),
        micros(nanos.getValueAtPercentile(99.9)),
        micros(nanos.getMaxValue()));
  }

  private static double micros(double nanos) {
    return Math.round(nanos / 100) / 10.0;
  }
}
