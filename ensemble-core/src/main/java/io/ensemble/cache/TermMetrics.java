package io.ensemble.cache;

import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/** Metrics of the terms of an SWMR cache, as this process sees them. Thread-safe. */
public final class TermMetrics {

  private final CacheMetrics metrics;

  public TermMetrics(CacheMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * Shows the latest known term until the metrics are closed.
   *
   * @param epoch the term's number, not a number before any term was seen
   * @param isPrimary whether a site is the primary
   */
  public void show(List<String> sites, DoubleSupplier epoch, Predicate<String> isPrimary) {
    metrics.begin("ensemble.term.renewals");
    metrics.begin("ensemble.primary.changes");
    metrics.begin("ensemble.writers.refused");
    metrics.beginLeaseFailures(CacheMetrics.LeaseKind.TERM);
    metrics.gauge("ensemble.term.epoch", "epochs", List.of(), epoch);
    for (String site : sites) {
      metrics.gauge(
          "ensemble.primary", "sites", List.of("site", site), () -> isPrimary.test(site) ? 1 : 0);
    }
  }

  /** Records that a response of the term record renewed the lease on its term. */
  public void renewed() {
    metrics.count("ensemble.term.renewals");
  }

  /** Records that the record did not answer in time, so that no lease was renewed. */
  public void renewalFailed() {
    metrics.leaseFailed(CacheMetrics.LeaseKind.TERM);
  }

  /** Records a change of the primary. */
  public void primaryChanged() {
    metrics.count("ensemble.primary.changes");
  }

  /** Records a write that was refused because another process is the writer. */
  public void writerRefused() {
    metrics.count("ensemble.writers.refused");
  }
}
