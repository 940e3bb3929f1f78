package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Mode;
import io.ensemble.benchmarks.objects.Crowd;
import io.ensemble.benchmarks.versions.VersionPlan;
import io.ensemble.testkit.link.LineReport;
import io.ensemble.testkit.link.Wan;
import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every measuring program runs to its answer, with the least effort: the figures mean nothing here.
 */
class QuestionsIT {

  private static final int KEYS = 10_000;
  private static final Wan NOT_FAR = new Wan(Duration.ofMillis(4), 50_000_000);

  @TempDir private static Path figures;

  private static FederationProcess federation;

  private static Effort least() {
    Outage outage =
        new Outage(List.of(Mode.MWMR), List.of(Outage.Kill.values()), 40, 3, 1, figures);
    List<Integer> few = List.of(1, 3);
    Crowd crowd = new Crowd(2, few, few, few, List.of(0), 1, figures);
    VersionPlan versions =
        new VersionPlan(
            List.of(), SyntheticTrace.of(10, 1), few, List.of(100), 2, Path.of("etcd"), null);
    return new Effort(20, 1, 10, 100, 300, 1, NOT_FAR, 2, outage, crowd, versions, line -> {});
  }

  @BeforeAll
  static void start() {
    federation = FederationProcess.start(least().nodes());
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @Test
  void roundTripsWithAllSitesKeepTheirPromise() {
    List<?> lines = (List<?>) Question.ROUND_TRIPS.answer(least()).figures();

    assertThat(lines)
        .hasSize(18)
        .allSatisfy(
            line -> {
              RoundTrips.Line counted = (RoundTrips.Line) line;
              assertThat(counted.mean()).isBetween(1.0, counted.promised() + 1);
              assertThat(counted.requestsPerOperation()).isGreaterThanOrEqualTo(2);
            });
  }

  @Test
  @Tag("deep")
  void whatADrainCostsIsMeasured() {
    List<?> lines = (List<?>) Question.DRAIN.answer(least()).figures();

    assertThat(lines)
        .hasSize(1)
        .allSatisfy(
            line -> {
              Drain.Line drained = (Drain.Line) line;
              assertThat(drained.before()).isPositive();
              assertThat(drained.seconds()).isPositive();
              assertThat(drained.ratio()).isFinite();
            });
  }

  @Test
  void entriesThatMoveAreCounted() {
    List<?> lines = (List<?>) Question.GROWTH.answer(least(), federation).figures();

    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> {
              PartGrowth.Line counted = (PartGrowth.Line) line;
              assertThat(counted.moved()).isBetween(1L, 100L);
              assertThat(counted.missing()).isZero();
            });
  }

  @Test
  void weakIsComparedWithAPlainCache() {
    List<?> lines = (List<?>) Question.WEAK_RATIO.answer(least(), federation).figures();

    assertThat(lines)
        .hasSize(8)
        .allSatisfy(
            line -> {
              WeakRatio.Line compared = (WeakRatio.Line) line;
              assertThat(compared.result().second().latencies().count()).isPositive();
              assertThat(compared.result().first().latencies().count()).isPositive();
            });
  }

  @Test
  void envelopesAddBytes() {
    List<?> lines = (List<?>) Question.ENVELOPE.answer(least(), federation).figures();

    assertThat(lines)
        .hasSize(14)
        .allSatisfy(
            line ->
                assertThat(((EnvelopeSize.Line) line).overheadBytes()).isBetween(20.0, 1_000.0));
  }

  @Test
  void mwmrIsComparedWithWeakAndItsRequestsCounted() {
    List<?> lines = (List<?>) Question.MWMR_RATIO.answer(least(), federation).figures();

    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> {
              MwmrRatio.Line compared = (MwmrRatio.Line) line;
              assertThat(compared.requestRatio()).isBetween(0.1, 1.0);
              assertThat(compared.result().first().latencies().count()).isPositive();
            });
  }

  @Test
  void aClientsMemoryIsMeasured() {
    List<?> lines = (List<?>) Question.MEMORY.answer(least(), federation).figures();

    assertThat(lines)
        .extracting(line -> ((ClientMemory.Line) line).client())
        .containsExactly("plain", "WEAK", "SWMR", "MWMR");
  }

  @Test
  void everyApproachIsMeasuredBesideItsBoundAtFarSites() {
    FarSites.Figures far = (FarSites.Figures) Question.WIDE_AREA.answer(least()).figures();

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
  void aTwoTripQuorumReadsTheLatestValueWhicheverMajorityItAsks() {
    try (TwoTripQuorum quorum = new TwoTripQuorum(federation.sites())) {
      assertThat(quorum.read("key")).isNull();
      for (byte i = 0; i < 20; i++) {
        quorum.write("key", new byte[] {i});
        assertThat(quorum.read("key")).containsExactly(i);
      }
    }
  }

  @Test
  void latenciesAtTwoSitesAreToldInRoundTrips() {
    TwoSites.Figures two = (TwoSites.Figures) Question.TWO_SITES.answer(least()).figures();

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
  void whatAKillCostsIsMeasuredAndDrawn() {
    List<?> runs = (List<?>) Question.FAILURE.answer(least()).figures();

    assertThat(runs)
        .hasSize(Outage.Kill.values().length)
        .allSatisfy(
            each -> {
              Failure.Run run = (Failure.Run) each;
              assertThat(run.begun()).isEqualTo(3 * 40);
              assertThat(run.done() + run.refused() + run.unknown() + run.notBegun())
                  .isEqualTo(run.begun());
              assertThat(run.acknowledged()).isPositive();
              assertThat(run.lost()).isZero();
            });
    assertThat(figures.resolve("failure-mwmr.svg")).content().contains("site killed", "</svg>");
  }

  @ParameterizedTest
  @EnumSource(names = {"COUNTER", "DISTINCT", "CRITICAL_SECTION", "READ_ONLY"})
  @Tag("deep")
  void atomicObjectsAreMeasuredBesideTheirRivals(Question question) {
    List<String> lines = question.answer(least()).lines();

    assertThat(lines).hasSizeGreaterThan(2 + 2 * 2).allMatch(line -> line.startsWith("|"));
  }

  @Test
  void numbersAreSpreadOverAllKeys() {
    long distinct =
        java.util.stream.LongStream.range(0, 20L * KEYS)
            .map(n -> WeakRatio.mixed(n, KEYS))
            .peek(key -> assertThat(key).isBetween(0L, KEYS - 1L))
            .distinct()
            .count();

    assertThat(distinct).isGreaterThan(KEYS * 99L / 100);
  }
}
