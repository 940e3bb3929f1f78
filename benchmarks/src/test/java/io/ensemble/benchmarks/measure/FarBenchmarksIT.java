package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.replication.ReplicationScheme;
import io.ensemble.benchmarks.replication.TwoSiteBenchmark;
import io.ensemble.benchmarks.replication.WideAreaBenchmark;
import io.ensemble.testkit.link.SiteLinkReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measuring programs that start sites of their own, far ones most: see {@link BenchmarksIT}. */
class FarBenchmarksIT {

  @TempDir private static Path figures;

  @Test
  void roundTripsWithAllSitesKeepTheirPromise() {
    List<?> lines = (List<?>) Benchmark.ROUND_TRIPS.answer(MinimalOptions.in(figures)).figures();

    assertThat(lines)
        .hasSize(22)
        .allSatisfy(
            line -> {
              RoundTripBenchmark.Line counted = (RoundTripBenchmark.Line) line;
              // Of ten operations on five keys, the first five are ordinary writes; on a machine
              // that stalls the others are, too, for responses come too late to be remembered.
              boolean isKept = counted.operation().contains("keeps writing");
              double ordinary = counted.sites() == 3 ? 2 : 4;
              double most = isKept ? ordinary + 1 : counted.promised() + 1;
              assertThat(counted.mean()).isBetween(1.0, most);
              assertThat(counted.requestsPerOperation()).isGreaterThanOrEqualTo(2);
            });
  }

  @Test
  @Tag("nightly")
  void everyApproachIsMeasuredBesideItsBoundAtFarSites() {
    WideAreaBenchmark.Figures far =
        (WideAreaBenchmark.Figures)
            Benchmark.WIDE_AREA.answer(MinimalOptions.in(figures)).figures();

    assertThat(far.ways()).extracting(SiteLinkReport::site).containsExactly("oslo", "rome");
    assertThat(far.lines())
        .hasSize(3 * ReplicationScheme.values().length)
        .allSatisfy(
            line -> {
              assertThat(line.showing().latencies().count()).isPositive();
              assertThat(line.showing().spent()).containsKey("oslo requests");
            });
    assertThat(far.lines())
        .filteredOn(line -> line.trips() >= 1)
        .isNotEmpty()
        .allSatisfy(
            line -> {
              assertThat(line.bound().perSecond()).isFinite().isPositive();
              assertThat(line.bound().bytesPerOperation()).isPositive();
              assertThat(line.ofBound()).isPositive();
            });
    assertThat(far.mwmrToTwoTripReads().median()).isPositive();
  }

  @Test
  @Tag("nightly")
  void latenciesAtTwoSitesAreToldInRoundTrips() {
    TwoSiteBenchmark.Figures two =
        (TwoSiteBenchmark.Figures) Benchmark.TWO_SITES.answer(MinimalOptions.in(figures)).figures();

    assertThat(two.lines())
        .extracting(TwoSiteBenchmark.Line::workload)
        .contains("A", "B", "C", "D");
    assertThat(two.lines())
        .filteredOn(line -> line.promised() >= 1)
        .isNotEmpty()
        .allSatisfy(
            line -> {
              assertThat(line.latencies().count()).isPositive();
              assertThat(line.p50Trips()).isFinite().isPositive();
              assertThat(line.expected()).isGreaterThan(line.promised());
            });
  }

  @Test
  @Tag("deep")
  void restIsComparedWithInfinispansAndWithJava() {
    RestBenchmark.Figures found =
        (RestBenchmark.Figures) Benchmark.REST_RATIO.answer(MinimalOptions.in(figures)).figures();

    assertThat(found.lines())
        .hasSize(4)
        .allSatisfy(
            line -> {
              assertThat(line.showings()).hasSize(3);
              assertThat(line.showings())
                  .allSatisfy(one -> assertThat(one.latencies().count()).isPositive());
              assertThat(line.toInfinispan().median()).isPositive();
            });
  }
}
