package io.ensemble.benchmarks.zoofence;

import static java.util.stream.Collectors.toList;

import io.ensemble.testkit.wan.EmulatedWan;
import io.ensemble.testkit.wan.HostPairReport;
import io.ensemble.testkit.wan.WanPlan;
import io.ensemble.testkit.wan.WanReport;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Hosts, numbered from 0, on which programs are started and reach each other. */
interface HostNetwork extends AutoCloseable {

  /** The address of a host, for its own programs and for those of others. */
  String address(int host);

  /** Changes {@code process} so that it starts on a host. */
  ProcessBuilder at(int host, ProcessBuilder process);

  /** The measured network between hosts, in words. */
  String describe();

  @Override
  void close();

  /**
   * Hosts with the network of a plan.
   *
   * @param plan a plan of hosts with the names of {@link #name}; without any distance, all are on
   *     loopback
   * @throws io.ensemble.testkit.wan.WanException if this machine cannot emulate it, with the reason
   */
  static HostNetwork of(WanPlan plan) {
    if (plan.everywhere().isNothing()) {
      return near();
    }
    EmulatedWan wan = EmulatedWan.start(plan);
    try {
      return far(wan, describe(wan.measure()));
    } catch (RuntimeException e) {
      wan.close();
      throw e;
    }
  }

  /** The name of a host. */
  static String name(int host) {
    return "host" + host;
  }

  /** Hosts near each other. */
  static HostNetwork near() {
    return new HostNetwork() {
      @Override
      public String address(int host) {
        return "127.0.0.1";
      }

      @Override
      public ProcessBuilder at(int host, ProcessBuilder process) {
        return process;
      }

      @Override
      public String describe() {
        return "no distance between sites";
      }

      @Override
      public void close() {}
    };
  }

  private static HostNetwork far(EmulatedWan wan, String described) {
    return new HostNetwork() {
      @Override
      public String address(int host) {
        return wan.address(name(host));
      }

      @Override
      public ProcessBuilder at(int host, ProcessBuilder process) {
        return wan.in(name(host), process);
      }

      @Override
      public String describe() {
        return described;
      }

      @Override
      public void close() {
        wan.close();
      }
    };
  }

  /** The measurements for each requested distance. */
  private static String describe(WanReport report) {
    return report.pairs().stream()
        .collect(
            Collectors.groupingBy(HostPairReport::wantedRoundTripMillis, TreeMap::new, toList()))
        .entrySet()
        .stream()
        .map(of -> describe(of.getKey(), of.getValue()))
        .collect(
            Collectors.joining("; ", report.wire() + ", round trips as measured before: ", ""));
  }

  private static String describe(double wanted, List<HostPairReport> pairs) {
    DoubleSummaryStatistics median = of(pairs, HostPairReport::roundTripP50Millis);
    DoubleSummaryStatistics slow = of(pairs, HostPairReport::roundTripP99Millis);
    return String.format(
        Locale.ROOT,
        "for %.0f ms between %d pairs of hosts median %.1f to %.1f ms, 99th percentile %.1f to"
            + " %.1f ms",
        wanted,
        pairs.size(),
        median.getMin(),
        median.getMax(),
        slow.getMin(),
        slow.getMax());
  }

  private static DoubleSummaryStatistics of(
      List<HostPairReport> pairs, Function<HostPairReport, @Nullable Double> figure) {
    return pairs.stream()
        .map(figure)
        .filter(Objects::nonNull)
        .collect(Collectors.summarizingDouble(Double::doubleValue));
  }
}
