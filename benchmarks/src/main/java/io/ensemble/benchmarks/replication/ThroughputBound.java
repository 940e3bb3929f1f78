package io.ensemble.benchmarks.replication;

import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.Traffic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many operations a second could be done if nothing but the ways to sites cost.
 *
 * @param byRoundTrips what so many threads can begin, each waiting for its round trips; null when
 *     it waits for none
 * @param byBytes what the line and direction carries that is used most; null when none is bounded,
 *     or none used
 * @param busiest which one that is, as {@code oslo requests}; null as above
 * @param bytesPerOperation that go there; 0 as above
 */
public record ThroughputBound(
    @Nullable Double byRoundTrips,
    @Nullable Double byBytes,
    @Nullable String busiest,
    double bytesPerOperation) {

  // Less is what others do in the background.
  private static final double LEAST_BYTES = 1;
  private static final double BYTES_PER_MEGABIT = 125_000;

  /**
   * The bound of a contender.
   *
   * @param threads operations in flight
   * @param trips round trips that an operation waits for, one after the other; may be none
   * @param operations how many were done
   * @param bytes how many went, by {@link #meter} names
   * @param lines what was measured of the ways; the shortest round trip counts
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

  /** The measured round trip to the nearest of the sites that are far. */
  static double roundTripMillis(List<SiteLinkReport> lines) {
    return lines.stream().mapToDouble(SiteLinkReport::roundTripP50Millis).min().orElse(0);
  }

  /** The lesser of the two; infinite when there is none. */
  public double perSecond() {
    return Math.min(
        byRoundTrips == null ? Double.POSITIVE_INFINITY : byRoundTrips,
        byBytes == null ? Double.POSITIVE_INFINITY : byBytes);
  }

  /** Traffic as a contest's meter wants it: a number for each line and direction. */
  static Map<String, Long> meter(Map<String, Traffic> traffic) {
    Map<String, Long> bytes = new HashMap<>();
    traffic.forEach(
        (site, gone) -> {
          bytes.put(site + " requests", gone.requestBytes());
          bytes.put(site + " replies", gone.replyBytes());
        });
    return bytes;
  }

  // A relay never gives more than it was asked to; a short measurement may find less.
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
