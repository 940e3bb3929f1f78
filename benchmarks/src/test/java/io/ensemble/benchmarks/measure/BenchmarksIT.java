package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.etcd.EtcdProgram;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.heat.HeatBenchmark;
import io.ensemble.benchmarks.objects.ObjectRequestBenchmark;
import io.ensemble.benchmarks.outage.DrainBenchmark;
import io.ensemble.benchmarks.outage.FailureBenchmark;
import io.ensemble.benchmarks.replication.TwoTripQuorum;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Benchmarks run with the least effort: their figures have no meaning here. The gate runs few of
 * them; the others have tags. {@link FarBenchmarksIT} has benchmarks that start sites of their own.
 */
class BenchmarksIT {

  private static final int KEYS = 10_000;

  @TempDir private static Path figures;

  private static FederationProcess federation;

  @BeforeAll
  static void start() {
    federation = FederationProcess.start(MinimalOptions.in(figures).nodes());
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @Test
  @Tag("deep")
  void whatADrainCostsIsMeasured() {
    List<?> lines = (List<?>) Benchmark.DRAIN.answer(MinimalOptions.in(figures)).figures();

    assertThat(lines)
        .hasSize(1)
        .allSatisfy(
            line -> {
              DrainBenchmark.Line drained = (DrainBenchmark.Line) line;
              assertThat(drained.before()).isPositive();
              assertThat(drained.seconds()).isPositive();
              assertThat(drained.ratio()).isFinite();
            });
  }

  @Test
  @Tag("nightly")
  void entriesThatMoveAreCounted() {
    List<?> lines =
        (List<?>) Benchmark.GROWTH.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> {
              RepartitionBenchmark.Line counted = (RepartitionBenchmark.Line) line;
              assertThat(counted.moved()).isBetween(1L, 100L);
              assertThat(counted.missing()).isZero();
            });
  }

  @Test
  @Tag("nightly")
  void recordingIsComparedWithNone() {
    List<?> lines =
        (List<?>) Benchmark.HEAT.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(8)
        .allSatisfy(
            line -> assertThat(((HeatBenchmark.Line) line).result().ratio().median()).isPositive());
  }

  @Test
  @Tag("nightly")
  void weakIsComparedWithAPlainCache() {
    List<?> lines =
        (List<?>) Benchmark.WEAK_RATIO.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(8)
        .anySatisfy( // Each runs for 0.1 s, which a busy machine may pass idly.
            line -> {
              WeakBenchmark.Line compared = (WeakBenchmark.Line) line;
              assertThat(compared.result().second().latencies().count()).isPositive();
              assertThat(compared.result().first().latencies().count()).isPositive();
            });
  }

  @Test
  @Tag("nightly")
  void envelopesAddBytes() {
    List<?> lines =
        (List<?>) Benchmark.ENVELOPE.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(14)
        .allSatisfy(
            line ->
                assertThat(((EnvelopeSizeBenchmark.Line) line).overheadBytes())
                    .isBetween(20.0, 1_000.0));
  }

  @Test
  @Tag("nightly")
  void mwmrIsComparedWithWeakAndItsRequestsCounted() {
    List<?> lines;
    // Nine replicas at three sites: each of them is on a node of its own.
    try (FederationProcess ofThreeNodes = FederationProcess.start(3)) {
      lines =
          (List<?>) Benchmark.MWMR_RATIO.answer(MinimalOptions.in(figures), ofThreeNodes).figures();
    }

    assertThat(lines)
        .hasSize(4)
        .allSatisfy(
            line -> {
              MwmrBenchmark.Line compared = (MwmrBenchmark.Line) line;
              assertThat(compared.requestRatio()).isBetween(0.1, 1.0);
              assertThat(compared.showings())
                  .hasSize(5)
                  .allSatisfy(one -> assertThat(one.latencies().count()).isPositive());
            });
  }

  @Test
  @Tag("nightly")
  void writersOfOneKeyAreComparedWithTurns() {
    List<?> lines =
        (List<?>) Benchmark.HOT_KEY.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(4)
        .allSatisfy(
            line -> assertThat(((HotKeyBenchmark.Line) line).ratio().median()).isPositive());
  }

  @Test
  @Tag("nightly")
  void storesOfObjectsAreCompared() {
    List<?> lines =
        (List<?>) Benchmark.OBJECT_STORES.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .hasSize(4)
        .allSatisfy(
            line -> assertThat(((ObjectStoreBenchmark.Line) line).ratio().median()).isPositive());
  }

  @Test
  @Tag("nightly")
  void aClientsMemoryIsMeasured() {
    List<?> lines =
        (List<?>) Benchmark.MEMORY.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .extracting(line -> ((ClientMemoryBenchmark.Line) line).client())
        .containsExactly("plain", "WEAK", "SWMR", "MWMR");
  }

  @Test
  @Tag("nightly")
  void theMemoryOfSitesIsMeasured() {
    List<?> lines =
        (List<?>) Benchmark.SITE_MEMORY.answer(MinimalOptions.in(figures), federation).figures();

    assertThat(lines)
        .extracting(line -> ((SiteHeapBenchmark.Line) line).cache())
        .containsExactly("MWMR", "MWMR on all nodes", "SWMR", "SWMR on all nodes", "WEAK");
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
  @Tag("deep")
  void whatAKillCostsIsMeasuredAndDrawn() {
    List<?> runs = (List<?>) Benchmark.FAILURE.answer(MinimalOptions.in(figures)).figures();

    assertThat(runs)
        .hasSize(OutagePlan.Kill.values().length)
        .allSatisfy(
            each -> {
              FailureBenchmark.FailureRun run = (FailureBenchmark.FailureRun) each;
              assertThat(run.begun()).isEqualTo(3 * 40);
              assertThat(run.done() + run.refused() + run.unknown() + run.notBegun())
                  .isEqualTo(run.begun());
              assertThat(run.acknowledged()).isPositive();
              assertThat(run.lost()).isZero();
            });
    assertThat(figures.resolve("failure-mwmr.svg")).content().contains("site killed", "</svg>");
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "COUNTER",
        "DISTINCT",
        "CRITICAL_SECTION",
        "READ_ONLY",
        "REGISTER_SWAP",
        "REGISTER_CRITICAL_SECTION",
        "REGISTER_DISTINCT"
      })
  @Tag("deep")
  void objectsAreMeasuredBesideTheirRivals(Benchmark benchmark) {
    List<String> lines = benchmark.answer(MinimalOptions.in(figures)).lines();

    assertThat(lines).hasSizeGreaterThan(2 + 2 * 2).allMatch(line -> line.startsWith("|"));
    boolean hasRival =
        Set.of(Benchmark.COUNTER, Benchmark.DISTINCT, Benchmark.READ_ONLY).contains(benchmark);
    assertThat(lines.stream().anyMatch(line -> line.contains("etcd")))
        .isEqualTo(hasRival && Files.isExecutable(EtcdProgram.PATH));
  }

  @Test
  @Tag("deep")
  void requestsOfEachServerAreCounted() {
    List<?> lines =
        (List<?>) Benchmark.OBJECT_REQUESTS.answer(MinimalOptions.in(figures)).figures();

    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            each -> {
              ObjectRequestBenchmark.Line line = (ObjectRequestBenchmark.Line) each;
              assertThat(line.steps()).isPositive();
              assertThat(line.perStep()).hasSize(3).allMatch(count -> count >= 1);
            });
  }

  @ParameterizedTest
  @EnumSource(names = {"TREE", "TREE_GUESTS", "TREE_LOAD"})
  @Tag("deep")
  void treesAreMeasured(Benchmark benchmark) {
    List<String> lines = benchmark.answer(MinimalOptions.in(figures)).lines();

    assertThat(lines).hasSizeGreaterThanOrEqualTo(2 + 2).allMatch(line -> line.startsWith("|"));
    assertThat(figures).isDirectoryContaining(file -> file.toString().endsWith(".svg"));
  }

  @Test
  void numbersAreSpreadOverAllKeys() {
    long distinct =
        java.util.stream.LongStream.range(0, 20L * KEYS)
            .map(n -> WeakBenchmark.mixed(n, KEYS))
            .peek(key -> assertThat(key).isBetween(0L, KEYS - 1L))
            .distinct()
            .count();

    assertThat(distinct).isGreaterThan(KEYS * 99L / 100);
  }
}
