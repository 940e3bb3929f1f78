package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.process.HistogramText;
import org.HdrHistogram.Histogram;

/**
 * The report of the producers of a site after a task, for the site's queue and the shared one.
 *
 * @param ownElements elements that were acknowledged during the task, in the counted time or not;
 *     or the present elements
 * @param own nanoseconds of operations that began during the counted time
 */
record QueueReport(long ownElements, long sharedElements, String own, String shared) {

  static QueueReport of(long ownElements, long sharedElements) {
    return new QueueReport(ownElements, sharedElements, "", "");
  }

  Histogram ownLatencies() {
    return HistogramText.read(own);
  }

  Histogram sharedLatencies() {
    return HistogramText.read(shared);
  }
}
