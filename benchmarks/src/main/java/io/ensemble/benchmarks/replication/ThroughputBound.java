package io.ensemble.benchmarks.replication;

import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.Traffic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The number of operations per second that would be possible if only the links to sites had a cost.
 *
 * @param byRoundTrips the rate at which the threads can begin operations, each waiting for its
 *     round trips; null when it waits for none
 * @param byBytes the rate that the busiest link and direction carries; null when none has a limit,
 *     or none is used
 * @param busiest that link and direction, as {@code oslo requests}; null as above
 * @param bytesPerOperation the bytes on it for each operation; 0 as above
 */
public record ThroughputBound(
    @Nullable Double byRoundTrips,
    @Nullable Double byBytes,
    @Nullable String busiest,
    double bytesPerOperation) {

  // Fewer bytes are background traffic of others.
  private static final double LEAST_BYTES = 1;
  private static final double BYTES_PER_MEGABIT = 125_000;

  /**
   * The bound of a contender.
   *
   * @param threads operations in flight
   * @param trips round trips that an operation waits for, one after the other; may be 0
   * @param operations the number of operations
   * @param bytes the number of bytes transferred, by {@link #meter} names
   * @param lines the measurements of the links; the shortest round trip counts
   */
  static ThroughputBound of(
      int threads,
      double trips,
      long operations,
      Map<String, Long> bytes,
      List<SiteLinkReport> lines) {
    Double byRoundTrips =
        trips == 0 || lines.isEmpty() ? null : threads * 1e3 / (trips * roundTripMillis(lines));
    String busiest = null;
    double byBytes = Double.POSITIVE_INFINITY;
    double bytesPerOperation = 0;
    for (Map.Entry<String, Double> width : megabits(lines).entrySet()) {
      double each = (double) bytes.getOrDefault(width.getKey(), 0L) / operations;
      if (each >= LEAST_BYTES && width.getValue() * BYTES_PER_MEGABIT / each < byBytes) {
        busiest = width.getKey();
        byBytes = width.getValue() * BYTES_PER_MEGABIT / each;
        bytesPerOperation = each;
      }
    }
    return new ThroughputBound(
        byRoundTrips, busiest == null ? null : byBytes, busiest, bytesPerOperation);
  }

  /** The measured round trip to the nearest far site. */
  static double roundTripMillis(List<SiteLinkReport> lines) {
    return lines.stream().mapToDouble(SiteLinkReport::roundTripP50Millis).min().orElse(0);
  }

  /** The lesser of the two; infinite when there is none. */
  public double perSecond() {
    return Math.min(
        byRoundTrips == null ? Double.POSITIVE_INFINITY : byRoundTrips,
        byBytes == null ? Double.POSITIVE_INFINITY : byBytes);
  }

  /** Traffic in the form that a contest's meter requires: a number for each link and direction. */
  static Map<String, Long> meter(Map<String, Traffic> traffic) {
    Map<String, Long> bytes = new HashMap<>();
    traffic.forEach(
        (site, gone) -> {
          bytes.put(site + " requests", gone.requestBytes());
          bytes.put(site + " replies", gone.replyBytes());
        });
    return bytes;
  }

  // A relay never gives more than requested; a short measurement may find less.
  private static Map<String, Double> megabits(List<SiteLinkReport> lines) {
    Map<String, Double> widths = new HashMap<>();
    for (SiteLinkReport line : lines) {
      if (line.wantedMegabits() > 0) {
        widths.put(
            line.site() + " requests", Math.max(line.wantedMegabits(), line.requestMegabits()));
        widths.put(line.site() + " replies", Math.max(line.wantedMegabits(), line.replyMegabits()));
      }
    }
    return widths;
  }
}
