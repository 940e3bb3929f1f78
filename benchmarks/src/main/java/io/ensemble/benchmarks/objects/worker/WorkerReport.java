package io.ensemble.benchmarks.objects.worker;

import io.ensemble.benchmarks.process.HistogramText;
import org.HdrHistogram.Histogram;

/**
 * What a process says when it has done a task.
 *
 * @param total what the objects of its clients say has been done with them, since they were made
 * @param done operations that were acknowledged, counted in time or not
 * @param notBegun arrivals for which there was no room
 * @param histogram nanoseconds of those that ended while it counted, compressed, in base 64
 * @param threads how many the process has
 */
public record WorkerReport(long total, long done, long notBegun, String histogram, int threads) {

  public static WorkerReport of(long total) {
    return new WorkerReport(total, 0, 0, "", 0);
  }

  public static String encoded(Histogram histogram) {
    return HistogramText.of(histogram);
  }

  public Histogram latencies() {
    return HistogramText.read(histogram);
  }
}
