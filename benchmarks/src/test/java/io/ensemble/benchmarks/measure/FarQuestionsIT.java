package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.link.LineReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measuring programs that start sites of their own, far ones most: see {@link QuestionsIT}. */
class FarQuestionsIT {

  @TempDir private static Path figures;

  @Test
  void roundTripsWithAllSitesKeepTheirPromise() {
    List<?> lines = (List<?>) Question.ROUND_TRIPS.answer(LeastEffort.in(figures)).figures();

    assertThat(lines)
        .hasSize(22)
        .allSatisfy(
            line -> {
              RoundTrips.Line counted = (RoundTrips.Line) line;
              // Of ten operations on five keys, the first five are ordinary writes.
              boolean isKept = counted.operation().contains("keeps writing");
              double ordinary = counted.sites() == 3 ? 2 : 4;
              double most =
                  isKept && counted.sites() == 2 ? ordinary - 0.1 : counted.promised() + 1;
              assertThat(counted.mean()).isBetween(1.0, most);
              assertThat(counted.requestsPerOperation()).isGreaterThanOrEqualTo(2);
            });
  }

  @Test
  @Tag("nightly")
  void everyApproachIsMeasuredBesideItsBoundAtFarSites() {
    FarSites.Figures far =
        (FarSites.Figures) Question.WIDE_AREA.answer(LeastEffort.in(figures)).figures();

    assertThat(far.ways()).extracting(LineReport::site).containsExactly("oslo", "rome");
    assertThat(far.lines())
        .hasSize(3 * Approach.values().length)
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
    TwoSites.Figures two =
        (TwoSites.Figures) Question.TWO_SITES.answer(LeastEffort.in(figures)).figures();

    assertThat(two.lines()).extracting(TwoSites.Line::workload).contains("A", "B", "C", "D");
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
    RestRatio.Figures found =
        (RestRatio.Figures) Question.REST_RATIO.answer(LeastEffort.in(figures)).figures();

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
