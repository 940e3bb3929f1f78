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
  private final Map<String, Total> before = new TreeMap<>();

  private record Total(long requests, double millis) {}

  MeterReader(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Requests from this process to each site since its start. The mean covers the requests answered
   * since the last reading, and stays while there are none. The other values are the maximum of the
   * last minutes and the number of failures.
   */
  Map<String, Map<String, Object>> latency() {
    Map<String, Total> totals = new TreeMap<>();
    Map<String, Long> failed = new TreeMap<>();
    Map<String, Double> longest = new TreeMap<>();
    for (Timer timer : registry.find("ensemble.site.request").timers()) {
      String replica = timer.getId().getTag("site");
      String site = replica == null ? null : ReplicaName.siteOf(replica);
      if (site != null && "ok".equals(timer.getId().getTag("outcome"))) {
        totals.merge(
            site,
            new Total(timer.count(), timer.totalTime(TimeUnit.MILLISECONDS)),
            (one, other) ->
                new Total(one.requests() + other.requests(), one.millis() + other.millis()));
        longest.merge(site, timer.max(TimeUnit.MILLISECONDS), Math::max);
      } else if (site != null) {
        failed.merge(site, timer.count(), Long::sum);
        totals.putIfAbsent(site, new Total(0, 0));
      }
    }
    Map<String, Map<String, Object>> all = new TreeMap<>();
    totals.forEach(
        (site, total) ->
            all.put(
                site,
                shown(
                    site, total, longest.getOrDefault(site, 0.0), failed.getOrDefault(site, 0L))));
    return all;
  }

  private final Map<String, Double> recent = new TreeMap<>();

  private Map<String, Object> shown(String site, Total total, double longest, long failed) {
    Total last = before.put(site, total);
    long requests = total.requests() - (last == null ? 0 : last.requests());
    if (requests > 0) {
      recent.put(site, (total.millis() - (last == null ? 0 : last.millis())) / requests);
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("requests", total.requests());
    shown.put("failed", failed);
    if (recent.containsKey(site)) {
      shown.put("millis", rounded(recent.getOrDefault(site, 0.0)));
      shown.put("longestMillis", rounded(longest));
    }
    return shown;
  }

  private static double rounded(double millis) {
    return Math.round(millis * TENTHS) / TENTHS;
  }

  /** The number of writes of this process with an unknown outcome, by cache. */
  Map<String, Map<String, Object>> unknown() {
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
    Map<String, Map<String, Object>> all = new TreeMap<>();
    counts.forEach((cache, count) -> all.put(cache, Map.of("count", count)));
    return all;
  }

  /**
   * For each site of each WEAK cache, the number of this process's writes that the site may lack.
   */
  Map<String, Map<String, Object>> lag() {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (Gauge gauge : registry.find("ensemble.lag.entries").gauges()) {
      String cache = gauge.getId().getTag("cache");
      String site = gauge.getId().getTag("site");
      if (cache != null && site != null) {
        double value = gauge.value();
        Map<String, Object> lag =
            Double.isNaN(value)
                ? Map.of("known", false)
                : Map.of("known", true, "entries", (long) value);
        all.computeIfAbsent(cache, name -> new TreeMap<>()).put(site, lag);
      }
    }
    return all;
  }

  /** The epoch and the primary of each SWMR cache that this process saw last. */
  Map<String, Map<String, Object>> terms() {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (Gauge gauge : registry.find("ensemble.term.epoch").gauges()) {
      String cache = gauge.getId().getTag("cache");
      double epoch = gauge.value();
      if (cache != null && !Double.isNaN(epoch)) {
        Map<String, Object> term = new LinkedHashMap<>();
        term.put("epoch", (long) epoch);
        registry.find("ensemble.primary").tag("cache", cache).gauges().stream()
            .filter(one -> one.value() == 1)
            .map(one -> one.getId().getTag("site"))
            .forEach(site -> term.put("primary", String.valueOf(site)));
        all.put(cache, term);
      }
    }
    return all;
  }
}
