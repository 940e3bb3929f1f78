package io.ensemble.testkit.wan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures every pair of hosts, one after the other. Small packets, far enough apart not to queue,
 * measure the round trips. Then, if a bandwidth was requested, a burst of large packets in each
 * direction measures it: their distance on arrival shows the rate of the line.
 */
final class WanMeasurement {

  private static final int WARMING = 50;
  private static final int ROUND_TRIPS = 200;
  private static final int SMALL_BYTES = 64;
  private static final int LARGE_BYTES = 1200;
  private static final int HEADERS_BYTES = 28;
  private static final int LONGEST_ROW = 64;
  private static final int SHORTEST_ROW = 5;
  private static final double ROW_SECONDS = 0.3;
  private static final Duration SPACING = Duration.ofMillis(2);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final WanPlan plan;

  WanMeasurement(WanPlan plan) {
    this.plan = plan;
  }

  List<HostPairReport> of(List<NetworkNamespace> namespaces) {
    List<Probe> probes = new ArrayList<>();
    List<String> prefix = ProcessPriority.prefix();
    try {
      for (int host = 0; host < namespaces.size(); host++) {
        probes.add(Probe.start(namespaces.get(host), HostAddresses.of(host), prefix));
      }
      for (Probe probe : probes) {
        probe.await();
      }
      List<HostPairReport> pairs = new ArrayList<>();
      for (int a = 0; a < probes.size(); a++) {
        for (int b = a + 1; b < probes.size(); b++) {
          pairs.add(pair(a, b, probes.get(a), probes.get(b)));
        }
      }
      return pairs;
    } catch (IOException e) {
      throw new UncheckedIOException("the links cannot be measured", e);
    } finally {
      probes.forEach(Probe::close);
    }
  }

  private HostPairReport pair(int a, int b, Probe there, Probe back) {
    String nameA = plan.hosts().get(a);
    String nameB = plan.hosts().get(b);
    PathProfile wanted = plan.between(nameA, nameB);
    Duration spacing = spacing(wanted);
    Duration patience = wanted.roundTrip().plus(PATIENCE);
    List<ProbeReply> warming = there.send(back, WARMING, SMALL_BYTES, spacing, patience);
    List<ProbeReply> trips =
        warming.isEmpty() ? warming : there.send(back, ROUND_TRIPS, SMALL_BYTES, spacing, patience);
    long[] nanos = trips.stream().mapToLong(ProbeReply::roundTripNanos).sorted().toArray();
    boolean bounded = wanted.bitsPerSecond() > 0 && !trips.isEmpty();
    return new HostPairReport(
        nameA,
        nameB,
        wanted.roundTrip().toNanos() / 1e6,
        wanted.bitsPerSecond() / 1e6,
        rounded(100 * wanted.loss()),
        percentile(nanos, 0.5),
        percentile(nanos, 0.99),
        bounded ? megabits(there, back, wanted) : null,
        bounded ? megabits(back, there, wanted) : null,
        warming.isEmpty() ? WARMING : ROUND_TRIPS,
        warming.isEmpty() ? WARMING : ROUND_TRIPS - trips.size());
  }

  /** Far enough apart for a slow line to be free again. */
  private static Duration spacing(PathProfile wanted) {
    if (wanted.bitsPerSecond() == 0) {
      return SPACING;
    }
    long own = 2 * 8_000_000_000L * (SMALL_BYTES + HEADERS_BYTES) / wanted.bitsPerSecond();
    return Duration.ofNanos(Math.max(SPACING.toNanos(), own));
  }

  private static @Nullable Double megabits(Probe from, Probe to, PathProfile wanted) {
    double packets = wanted.bitsPerSecond() * ROW_SECONDS / (8.0 * LARGE_BYTES);
    int row = (int) Math.max(SHORTEST_ROW, Math.min(LONGEST_ROW, packets));
    Duration rowTakes =
        Duration.ofNanos(row * 8_000_000_000L * LARGE_BYTES / wanted.bitsPerSecond());
    return megabits(
        from.send(
            to,
            row,
            LARGE_BYTES,
            Duration.ZERO,
            wanted.roundTrip().plus(PATIENCE).plus(rowTakes.multipliedBy(2))),
        LARGE_BYTES + HEADERS_BYTES);
  }

  /** Lost packets occupied the line, so their numbers count. Null if too few arrived. */
  static @Nullable Double megabits(List<ProbeReply> row, int bytes) {
    ProbeReply first = null;
    ProbeReply last = null;
    for (ProbeReply probeReply : row) {
      first = first == null || probeReply.number() < first.number() ? probeReply : first;
      last = last == null || probeReply.number() > last.number() ? probeReply : last;
    }
    if (first == null || last == null || last.arrivedNanos() <= first.arrivedNanos()) {
      return null;
    }
    long packets = last.number() - first.number();
    return rounded(packets * bytes * 8e3 / (last.arrivedNanos() - first.arrivedNanos()));
  }

  /** In milliseconds; null for an empty array. */
  static @Nullable Double percentile(long[] sortedNanos, double share) {
    return sortedNanos.length == 0
        ? null
        : rounded(sortedNanos[(int) ((sortedNanos.length - 1) * share)] / 1e6);
  }

  private static double rounded(double value) {
    return Math.round(value * 1e3) / 1e3;
  }
}
