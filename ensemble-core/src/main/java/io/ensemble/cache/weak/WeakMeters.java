package io.ensemble.cache.weak;

import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CacheMetrics.SiteCount;
import io.ensemble.cache.CacheMetrics.SiteGauge;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.stamp.HybridClock;
import java.util.List;
import java.util.Locale;

/** Reports the events of a WEAK engine as meters. Single requests are measured at the stores. */
record WeakMeters(CacheMetrics metrics) implements WeakMetrics {

  /** Meters for {@code metrics}; {@link WeakMetrics#NONE} when metrics are disabled. */
  static WeakMetrics of(CacheMetrics metrics) {
    return metrics.enabled() ? new WeakMeters(metrics) : NONE;
  }

  /** Shows how far the sites of {@code engine} are behind. */
  static void show(WeakEngine engine, List<String> sites, HybridClock clock, CacheMetrics metrics) {
    for (String site : sites) {
      metrics.gauge(SiteGauge.LAG, site, () -> engine.lag(site).entries());
      metrics.gauge(SiteGauge.PENDING, site, () -> engine.lag(site).pendingCopies());
      metrics.gauge(SiteGauge.MISSED, site, () -> engine.lag(site).missed());
      metrics.gauge(SiteGauge.DOWN, site, () -> engine.lag(site).down() ? 1 : 0);
      metrics.gauge(
          SiteGauge.COMPARISON_AGE,
          site,
          () -> seconds(engine.lag(site).comparedMicros(), clock.physicalMicros()));
    }
  }

  private static double seconds(long sinceMicros, long nowMicros) {
    return sinceMicros == 0 ? Double.NaN : Math.max(0, nowMicros - sinceMicros) / 1e6;
  }

  @Override
  public void roundTrips(Operation operation, int rounds) {
    metrics.roundTrips(operation.name().toLowerCase(Locale.ROOT), rounds);
  }

  @Override
  public void putBack(String site) {
    metrics.count(SiteCount.PUT_BACKS, site, 1);
  }

  @Override
  public void siblingsDropped(String site, int siblings) {
    metrics.count(SiteCount.SIBLINGS_DROPPED, site, siblings);
  }

  @Override
  public void copiesDropped(String site, int copies) {
    metrics.count(SiteCount.COPIES_DROPPED, site, copies);
  }

  @Override
  public void compared(AntiEntropyReport report) {
    metrics.compared(report.isComplete(), report.copied(), report.duration());
  }
}
