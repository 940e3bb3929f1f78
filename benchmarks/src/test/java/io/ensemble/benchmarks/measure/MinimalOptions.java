package io.ensemble.benchmarks.measure;

import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.etcd.EtcdProgram;
import io.ensemble.benchmarks.objects.ObjectPlan;
import io.ensemble.benchmarks.versions.VersionPlan;
import io.ensemble.benchmarks.zoofence.LedgerPlan;
import io.ensemble.benchmarks.zoofence.QueuePlan;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Minimal options, with which a benchmark still produces all its figures. */
final class MinimalOptions {

  private static final WanProfile NOT_FAR = new WanProfile(Duration.ofMillis(4), 50_000_000);

  private MinimalOptions() {}

  /** Options of benchmarks that draw in the directory {@code figures}. */
  static BenchmarkOptions in(Path figures) {
    OutagePlan outage =
        new OutagePlan(List.of(Mode.MWMR), List.of(OutagePlan.Kill.values()), 40, 3, 1, figures);
    List<Integer> few = List.of(1, 3);
    ObjectPlan crowd = new ObjectPlan(2, few, few, few, List.of(3), List.of(0), 1, 300, figures);
    VersionPlan versions =
        new VersionPlan(
            List.of(),
            SyntheticTrace.of(10, 1),
            false,
            few,
            List.of(100),
            2,
            EtcdProgram.PATH,
            null);
    return new BenchmarkOptions(
        100,
        1,
        10,
        100,
        300,
        1,
        NOT_FAR,
        2,
        outage,
        crowd,
        versions,
        new QueuePlan(few, few, Duration.ZERO, Duration.ZERO),
        new LedgerPlan(few, few, 1, 3),
        line -> {});
  }
}
