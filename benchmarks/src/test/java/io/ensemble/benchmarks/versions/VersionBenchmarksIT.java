package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.etcd.EtcdProgram;
import io.ensemble.benchmarks.objects.ObjectPlan;
import io.ensemble.benchmarks.zoofence.LedgerPlan;
import io.ensemble.benchmarks.zoofence.QueuePlan;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceHeader;
import io.ensemble.testkit.trace.TraceVersion;
import io.ensemble.testkit.trace.TraceWriter;
import io.ensemble.versioning.IndexType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmarks of versioned caches run with the least effort: their figures have no meaning here. The
 * gate runs the comparison with etcd and the load of a removal; the others run nightly.
 */
class VersionBenchmarksIT {

  private static final int INDEXES = IndexType.values().length;

  @TempDir private static Path directory;

  private static VersionTestbed versionTestbed;

  private static BenchmarkOptions least() {
    List<Integer> one = List.of(1);
    ObjectPlan crowd = new ObjectPlan(1, one, one, one, one, List.of(0, 1), 1, 0, directory);
    VersionPlan plan =
        new VersionPlan(
            List.of(),
            SyntheticTrace.of(30, 1),
            false,
            List.of(1, 2),
            List.of(20, 150),
            3,
            EtcdProgram.PATH,
            directory.resolve("raw"));
    OutagePlan none = new OutagePlan(List.of(), List.of(), 1, 3, 1, directory);
    return new BenchmarkOptions(
        30,
        1,
        1,
        1,
        1,
        1,
        WanProfile.NONE,
        1,
        none,
        crowd,
        plan,
        new QueuePlan(one, one, Duration.ZERO, Duration.ZERO),
        new LedgerPlan(one, one, 1, 3),
        line -> {});
  }

  @BeforeAll
  static void start() {
    versionTestbed = VersionTestbed.of(least());
  }

  @AfterAll
  static void stop() {
    versionTestbed.close();
  }

  private static void checkWhole(BenchmarkResult answer, int rows) {
    assertThat(answer.lines()).hasSize(2 + rows);
    for (String row : answer.lines()) {
      List<String> cells = Arrays.asList(row.split("\\|", -1));
      assertThat(cells.subList(1, cells.size() - 1))
          .noneMatch(String::isBlank)
          .noneMatch(cell -> cell.contains("NaN") || cell.contains("Infinity"));
    }
  }

  @Test
  @Tag("nightly")
  void loadingIsMeasured() {
    BenchmarkResult answer = VersionInsertBenchmark.answer(least(), versionTestbed);

    checkWhole(answer, 2 * 2 * INDEXES);
    assertThat((List<?>) answer.figures())
        .allSatisfy(
            each -> {
              VersionInsertBenchmark.Line line = (VersionInsertBenchmark.Line) each;
              assertThat(line.seconds()).isPositive();
              assertThat(line.settledSeconds()).isGreaterThanOrEqualTo(line.seconds());
            });
  }

  @Test
  @Tag("nightly")
  void whatIsStoredIsMeasuredAndDrawn() {
    BenchmarkResult answer = VersionStorageBenchmark.answer(least(), versionTestbed);

    checkWhole(answer, INDEXES + 2);
    assertThat((List<?>) answer.figures())
        .allSatisfy(
            each -> assertThat(((VersionStorageBenchmark.Line) each).entries()).isGreaterThan(20));
    assertThat(
            ((VersionStorageBenchmark.Line) ((List<?>) answer.figures()).get(0))
                .overheadPerVersion())
        .isBetween(5.0, 500.0);
    assertThat(directory.resolve("versions-storage.svg")).content().contains("</svg>");
  }

  @Test
  @Tag("nightly")
  void aTraceIsReplayedAndItsLastDecileDrawn() throws IOException {
    BenchmarkResult answer = VersionReplayBenchmark.answer(least(), versionTestbed);

    assertThat(answer.lines()).hasSizeGreaterThanOrEqualTo(2 + 2 * 2 * INDEXES);
    checkWhole(answer, answer.lines().size() - 2);
    assertThat(directory.resolve("versions-replay.svg")).content().contains("latest", "</svg>");
    try (var raw = Files.list(directory.resolve("raw"))) {
      assertThat(raw).isNotEmpty();
    }
  }

  @Test
  @Tag("nightly")
  void operationsAreCountedAndDrawn() {
    BenchmarkResult answer = VersionCountBenchmark.answer(least(), versionTestbed);

    checkWhole(answer, 2 * INDEXES * 2 * (2 + 6 * 3));
    assertThat((List<?>) answer.figures())
        .allSatisfy(
            each -> {
              VersionCountBenchmark.Line line = (VersionCountBenchmark.Line) each;
              assertThat(line.trips()).as(line.toString()).isBetween(0.9, 8.0);
              assertThat(line.requests()).isGreaterThanOrEqualTo(line.trips());
              assertThat(line.bytes()).isPositive();
            });
    assertThat(directory.resolve("versions-sizes.svg")).content().contains("range of 100");
  }

  @Test
  void aRemovalIsLoadedToo() throws IOException {
    Path file = directory.resolve("removals.jsonl");
    try (TraceWriter writer = TraceWriter.to(file, new TraceHeader("git", "nowhere"))) {
      writer.take(new TraceVersion("a", 1, Optional.of(new byte[5])));
      writer.take(new TraceVersion("a", 2, Optional.empty()));
    }
    TraceHistories histories = TraceHistories.read(file);

    try (MeasuredVersionedCache measuredVersionedCache =
        versionTestbed.openEmptyCache("removals", VersionedCacheSetup.of(IndexType.AUTO))) {
      measuredVersionedCache.loadSingly(histories.keys(), 1);

      assertThat(measuredVersionedCache.cache().latest("a").orElseThrow().value()).isEmpty();
      assertThat(measuredVersionedCache.cache().get("a", 1L)).isPresent();
    }
  }

  @Test
  void etcdIsARival() {
    EtcdProgram.assumeInstalled();

    BenchmarkResult answer = EtcdBenchmark.answer(least());

    checkWhole(answer, 2 * 2 * (3 + 4 + 5 + 2));
  }
}
