package io.ensemble.rest.resource.federation;

import io.ensemble.placement.ReplicaName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Reads the meters of this process, which cover its own requests and writes only. Makes no calls to
 * sites. One thread at a time.
 */
final class MeterReader {

  private static final double TENTHS = 10;

  private final MeterRegistry registry;
  private final Map<String, Total> previousTotals = new TreeMap<>();

  private record Total(long requests, double millis) {}

  MeterReader(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Requests from this process to each site since its start. The mean covers the requests answered
   * since the last reading, and stays while there are none. The other values are the maximum of the
   * last minutes and the number of failures.
   */
  Map<String, Map<String, Object>> readLatency() {
    Map<String, Total> totals = new TreeMap<>();
    Map<String, Long> failures = new TreeMap<>();
    Map<String, Double> maxMillis = new TreeMap<>();
    for (Timer timer : registry.find("ensemble.site.request").timers()) {
      String replica = timer.getId().getTag("site");
      String site = replica == null ? null : ReplicaName.siteOf(replica);
      if (site != null && "ok".equals(timer.getId().getTag("outcome"))) {
        totals.merge(
            site,
            new Total(timer.count(), timer.totalTime(TimeUnit.MILLISECONDS)),
            (first, second) ->
                new Total(first.requests() + second.requests(), first.millis() + second.millis()));
        maxMillis.merge(site, timer.max(TimeUnit.MILLISECONDS), Math::max);
      } else if (site != null) {
        failures.merge(site, timer.count(), Long::sum);
        totals.putIfAbsent(site, new Total(0, 0));
      }
    }
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    totals.forEach(
        (site, total) ->
            documents.put(
                site,
                toDocument(
                    site,
                    total,
                    maxMillis.getOrDefault(site, 0.0),
                    failures.getOrDefault(site, 0L))));
    return documents;
  }

  private final Map<String, Double> recentMeans = new TreeMap<>();

  private Map<String, Object> toDocument(
      String site, Total total, double maxMillis, long failures) {
    Total previous = previousTotals.put(site, total);
    long requests = total.requests() - (previous == null ? 0 : previous.requests());
    if (requests > 0) {
      recentMeans.put(
          site, (total.millis() - (previous == null ? 0 : previous.millis())) / requests);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("requests", total.requests());
    document.put("failed", failures);
    if (recentMeans.containsKey(site)) {
      document.put("millis", roundToTenths(recentMeans.getOrDefault(site, 0.0)));
      document.put("longestMillis", roundToTenths(maxMillis));
    }
    return document;
  }

  private static double roundToTenths(double millis) {
    return Math.round(millis * TENTHS) / TENTHS;
  }

  /** The number of writes of this process with an unknown outcome, by cache. */
  Map<String, Map<String, Object>> readUnknownOutcomes() {
    Map<String, Long> counts = new TreeMap<>();
    registry
        .find("ensemble.outcome.unknown")
        .counters()
        .forEach(
            counter -> {
              String cache = counter.getId().getTag("cache");
              if (cache != null) {
                counts.merge(cache, (long) counter.count(), Long::sum);
              }
            });
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    counts.forEach((cache, count) -> documents.put(cache, Map.of("count", count)));
    return documents;
  }

  /**
   * For each site of each WEAK cache, the number of this process's writes that the site may lack.
   */
  Map<String, Map<String, Object>> readLag() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    for (Gauge gauge : registry.find("ensemble.lag.entries").gauges()) {
      String cache = gauge.getId().getTag("cache");
      String site = gauge.getId().getTag("site");
      if (cache != null && site != null) {
        double value = gauge.value();
        Map<String, Object> lag =
            Double.isNaN(value)
                ? Map.of("known", false)
                : Map.of("known", true, "entries", (long) value);
        documents.computeIfAbsent(cache, name -> new TreeMap<>()).put(site, lag);
      }
    }
    return documents;
  }

  /** The epoch and the primary of each SWMR cache that this process saw last. */
  Map<String, Map<String, Object>> readTerms() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    for (Gauge gauge : registry.find("ensemble.term.epoch").gauges()) {
      String cache = gauge.getId().getTag("cache");
      double epoch = gauge.value();
      if (cache != null && !Double.isNaN(epoch)) {
        Map<String, Object> term = new LinkedHashMap<>();
        term.put("epoch", (long) epoch);
        registry.find("ensemble.primary").tag("cache", cache).gauges().stream()
            .filter(primaryGauge -> primaryGauge.value() == 1)
            .map(primaryGauge -> primaryGauge.getId().getTag("site"))
            .forEach(site -> term.put("primary", String.valueOf(site)));
        documents.put(cache, term);
      }
    }
    return documents;
  }
}
