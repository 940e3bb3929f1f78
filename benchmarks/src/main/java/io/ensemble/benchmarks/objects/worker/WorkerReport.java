package io.ensemble.benchmarks.objects.worker;

import io.ensemble.benchmarks.process.HistogramText;
import org.HdrHistogram.Histogram;

/**
 * The report of a process after a task.
 *
 * @param total the number of operations in the objects of its clients, since they were made
 * @param done operations that were acknowledged, during the counted time or not
 * @param notBegun arrivals that were dropped because too many operations were under way
 * @param histogram latencies in nanoseconds of those that ended during the counted time,
 *     compressed, in base 64
 * @param threads the number of threads of the process
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
