package io.ensemble.cache;

import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/** What a process measures of the terms of an SWMR cache, as it sees them. Thread-safe. */
public final class TermMetrics {

  private final CacheMetrics metrics;

  public TermMetrics(CacheMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * Shows until the metrics are closed what was seen last.
   *
   * @param epoch the term's number, not a number before any was seen
   * @param isPrimary whether a site is the primary
   */
  public void show(List<String> sites, DoubleSupplier epoch, Predicate<String> isPrimary) {
    metrics.gauge("ensemble.term.epoch", "epochs", List.of(), epoch);
    for (String site : sites) {
      metrics.gauge(
          "ensemble.primary", "sites", List.of("site", site), () -> isPrimary.test(site) ? 1 : 0);
    }
  }

  /** An answer of the record renewed the trust in its term. */
  public void renewed() {
    metrics.count("ensemble.term.renewals");
  }

  /** The primary is another than before. */
  public void primaryChanged() {
    metrics.count("ensemble.primary.changes");
  }

  /** A write was refused because another process is the writer. */
  public void writerRefused() {
    metrics.count("ensemble.writers.refused");
  }
}
