package io.ensemble.benchmarks.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.Traffic;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThroughputBoundTest {

  private static final SiteLinkReport OSLO = new SiteLinkReport("oslo", 15, 8, 16, 17, 7.5, 7.9);
  private static final SiteLinkReport ROME = new SiteLinkReport("rome", 15, 10, 20, 21, 9.5, 9.9);

  @Test
  void threadsThatWaitBeginSoManyInASecond() {
    ThroughputBound bound = ThroughputBound.of(8, 1.5, 100, Map.of(), List.of(OSLO, ROME));

    // Each takes one and a half round trips to the nearer site.
    assertThat(bound.byRoundTrips()).isCloseTo(8 / (1.5 * 0.016), within(1e-9));
    assertThat(bound.byBytes()).isNull();
    assertThat(bound.busiest()).isNull();
    assertThat(bound.perSecond()).isEqualTo(bound.byRoundTrips());
  }

  @Test
  void theBusiestDirectionOfAllLinesBoundsBytes() {
    Map<String, Long> bytes =
        Map.of("oslo requests", 80_000L, "oslo replies", 90_000L, "rome replies", 99_000L);

    ThroughputBound bound = ThroughputBound.of(8, 0, 100, bytes, List.of(OSLO, ROME));

    // 900 bytes each at 1 MB/s allow fewer operations than 990 bytes each at 1.25 MB/s.
    assertThat(bound.byRoundTrips()).isNull();
    assertThat(bound.busiest()).isEqualTo("oslo replies");
    assertThat(bound.bytesPerOperation()).isEqualTo(900);
    assertThat(bound.byBytes()).isCloseTo(1_000_000.0 / 900, within(1e-9));
    assertThat(bound.perSecond()).isEqualTo(bound.byBytes());
  }

  @Test
  void whatOthersDoInTheBackgroundBoundsNobody() {
    ThroughputBound bound =
        ThroughputBound.of(8, 0, 1_000_000, Map.of("oslo requests", 9_000L), List.of(OSLO));

    assertThat(bound.byBytes()).isNull();
  }

  @Test
  void theLesserOfTheTwoCounts() {
    Map<String, Long> bytes = Map.of("oslo requests", 1_000_000L);

    assertThat(ThroughputBound.of(1, 1, 1_000, bytes, List.of(OSLO)).perSecond()).isEqualTo(62.5);
    assertThat(ThroughputBound.of(1_000, 1, 1_000, bytes, List.of(OSLO)).perSecond())
        .isEqualTo(1_000);
  }

  @Test
  void withoutFarSitesNothingBounds() {
    ThroughputBound bound = ThroughputBound.of(8, 2, 100, Map.of(), List.of());

    assertThat(bound.perSecond()).isInfinite();
  }

  @Test
  void aMeterTellsDirectionsApart() {
    assertThat(ThroughputBound.meter(Map.of("oslo", new Traffic(3, 4))))
        .containsOnly(Map.entry("oslo requests", 3L), Map.entry("oslo replies", 4L));
  }

  @Test
  void tripsAreTheMeanOfReadsAndWrites() {
    assertThat(ReplicationScheme.MWMR.trips(50, 50)).isEqualTo(1.5);
    assertThat(ReplicationScheme.TWO_TRIPS.trips(95, 5)).isEqualTo(2);
    assertThat(ReplicationScheme.WEAK.trips(1, 1)).isZero();
  }
}
