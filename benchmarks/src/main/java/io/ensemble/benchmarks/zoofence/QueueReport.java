package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.process.HistogramText;
import org.HdrHistogram.Histogram;

/**
 * What the producers of a site say when a task is done: of the site's queue, and of the shared one.
 *
 * @param ownElements that were acknowledged while it ran, counted in time or not; or that are there
 * @param own nanoseconds of those that began while it counted
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
