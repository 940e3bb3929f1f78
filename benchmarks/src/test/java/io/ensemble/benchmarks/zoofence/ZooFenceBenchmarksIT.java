package io.ensemble.benchmarks.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.objects.ObjectPlan;
import io.ensemble.benchmarks.versions.VersionPlan;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Benchmarks of ZooFence run with the least effort: their figures have no meaning here. */
class ZooFenceBenchmarksIT {

  private static final int SLICE_MILLIS = 90;

  @TempDir private static Path directory;

  private static BenchmarkOptions least() {
    List<Integer> one = List.of(1);
    return new BenchmarkOptions(
        SLICE_MILLIS,
        1,
        1,
        1,
        1,
        1,
        WanProfile.NONE,
        1,
        new OutagePlan(List.of(), List.of(), 1, 3, 1, directory),
        new ObjectPlan(1, one, one, one, one, List.of(0), 1, 0, directory),
        new VersionPlan(
            List.of(),
            SyntheticTrace.of(10, 1),
            false,
            one,
            List.of(100),
            2,
            Path.of("etcd"),
            null),
        new QueuePlan(List.of(100, 50), List.of(1), Duration.ZERO, Duration.ZERO),
        new LedgerPlan(List.of(5), List.of(16), 2, 3),
        line -> {});
  }

  @Test
  @Tag("nightly")
  void queuesOfAllThreeAreMeasuredAndDrawn() {
    BenchmarkResult answer = QueueBenchmark.answer(least());

    assertThat((List<?>) answer.figures())
        .hasSize(2 * QueueSystem.values().length)
        .allSatisfy(
            each -> {
              QueueResult line = (QueueResult) each;
              assertThat(line.perSecond()).isPositive();
              assertThat(line.all().count()).isPositive();
              assertThat(line.locality() == 100 ? line.shared().count() : 0).isZero();
              assertThat(line.all().count()).isEqualTo(line.own().count() + line.shared().count());
            });
    assertThat(directory.resolve("zoofence-queues.svg"))
        .content()
        .contains("100 % locality", "50 % locality", "</svg>");
  }

  @Test
  @Tag("nightly")
  void ledgersOnBothAreMeasuredAndDrawn() {
    BenchmarkResult answer = LedgerBenchmark.answer(least());

    assertThat((List<?>) answer.figures())
        .hasSize(LedgerTestbed.MetadataStore.values().length)
        .allSatisfy(
            each -> {
              LedgerResult line = (LedgerResult) each;
              assertThat(line.entriesPerSecond()).isPositive();
              assertThat(line.ratio().median()).isPositive();
              assertThat(line.making().count()).isPositive();
            });
    assertThat(directory.resolve("zoofence-bookkeeper.svg"))
        .content()
        .contains("16 bytes", "</svg>");
  }
}
