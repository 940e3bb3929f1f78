package io.ensemble.cache.weak;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Metrics whose failures, which are logged, do not become those of the operations they measure. */
record GuardedMetrics(WeakMetrics metrics) implements WeakMetrics {

  private static final Logger LOG = LoggerFactory.getLogger(GuardedMetrics.class);

  @Override
  public void roundTrips(Operation operation, int rounds) {
    guarded(() -> metrics.roundTrips(operation, rounds));
  }

  @Override
  public void answered(String site, Kind kind, long nanos, boolean succeeded) {
    guarded(() -> metrics.answered(site, kind, nanos, succeeded));
  }

  @Override
  public void putBack(String site) {
    guarded(() -> metrics.putBack(site));
  }

  @Override
  public void copiesDropped(String site, int copies) {
    guarded(() -> metrics.copiesDropped(site, copies));
  }

  @Override
  public void outcomeUnknown() {
    guarded(metrics::outcomeUnknown);
  }

  @Override
  public void siteChanged(String site, boolean up) {
    guarded(() -> metrics.siteChanged(site, up));
  }

  @Override
  public void compared(ReconcileReport report) {
    guarded(() -> metrics.compared(report));
  }

  private static void guarded(Runnable telling) {
    try {
      telling.run();
    } catch (RuntimeException | Error broken) {
      LOG.error("metrics failed", broken);
    }
  }
}
