package io.ensemble.benchmarks;

import java.util.Map;
import java.util.TreeMap;

/**
 * YCSB's measurements of one kind of operation. Times in microseconds, from YCSB's HdrHistograms:
 * three significant digits.
 *
 * @param count operations timed
 * @param errors operations that did not end {@code OK}
 * @param returns the numbers of results, by YCSB's names
 */
public record OperationFigures(
    long count,
    long errors,
    double meanMicros,
    double minMicros,
    double p50Micros,
    double p95Micros,
    double p99Micros,
    double p999Micros,
    double maxMicros,
    Map<String, Long> returns) {

  /** The percentiles that are read below, in the format of YCSB. */
  static final String PERCENTILES = "50,95,99,99.9";

  private static final String RETURN = "Return=";

  /** Reads YCSB's export for one kind of operation. */
  static OperationFigures of(Map<String, Double> exported) {
    Map<String, Long> returns = new TreeMap<>();
    exported.forEach(
        (name, value) -> {
          if (name.startsWith(RETURN)) {
            returns.put(name.substring(RETURN.length()), value.longValue());
          }
        });
    long count = (long) value(exported, "Operations");
    return new OperationFigures(
        count,
        returns.entrySet().stream()
            .filter(ending -> !ending.getKey().equals("OK"))
            .mapToLong(Map.Entry::getValue)
            .sum(),
        value(exported, "AverageLatency(us)"),
        count == 0 ? 0 : value(exported, "MinLatency(us)"),
        value(exported, "50thPercentileLatency(us)"),
        value(exported, "95thPercentileLatency(us)"),
        value(exported, "99thPercentileLatency(us)"),
        value(exported, "99.9PercentileLatency(us)"),
        value(exported, "MaxLatency(us)"),
        returns);
  }

  private static double value(Map<String, Double> exported, String name) {
    Double value = exported.get(name);
    if (value == null) {
      throw new AssertionError("YCSB exports '" + name + "'; got " + exported.keySet());
    }
    return value;
  }
}
