package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.versions.VersionContest.VersionContestant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Question: what latency do readers of histories see, in comparison with etcd?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-etcd --etcd /usr/bin/etcd}, in the repository's directory;
 * etcd is the one of Debian's package {@code etcd-server}.
 *
 * <p>Both systems hold 64 keys of 500 versions of 386 bytes each, in three servers each, in memory;
 * one program has all clients. The first rival is etcd with its defaults, whose reads are
 * linearizable as the versioned cache's are. The second is etcd with reads that one server answers
 * on its own, which may be old. A range is also read by a watch from its first revision.
 */
public final class EtcdBenchmark {

  /**
   * The performance of one contestant.
   *
   * @param ratio its mean time to the versioned cache's
   */
  public record Line(
      int oneWayMillis,
      int clients,
      String operation,
      String contestant,
      double perSecond,
      RatioSpread ratio,
      Latencies latencies) {}

  private static final int VERSIONS = 500;

  private EtcdBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines = new ArrayList<>();
    List<String> table = new ArrayList<>();
    table.add(
        "| one way ms | clients | operation | who | a second | its mean time to ours (min..max) |"
            + " operations | mean / p50 / p95 / p99 ms |");
    table.add("|---|---|---|---|---|---|---|---|");
    int versions = Math.min(VERSIONS, benchmarkOptions.versions().counts().get(0));
    try (VersionTestbed versionTestbed = VersionTestbed.withEtcd(benchmarkOptions);
        EtcdComparison rivals = new EtcdComparison(benchmarkOptions, versionTestbed, versions)) {
      for (int oneWay : benchmarkOptions.objectPlan().oneWayMillis()) {
        versionTestbed.delay(Duration.ofMillis(oneWay));
        for (EtcdComparison.EtcdTask task : EtcdComparison.EtcdTask.values()) {
          for (int clients : benchmarkOptions.versions().clients()) {
            benchmarkOptions.say("%d ms one way, %s, %d clients", oneWay, task.title(), clients);
            for (VersionContest.Line line :
                new VersionContest(
                        clients,
                        benchmarkOptions.sliceMillis(),
                        benchmarkOptions.objectPlan().rounds())
                    .compare(contestants(rivals, task))) {
              addResult(benchmarkOptions, lines, table, oneWay, clients, task, line);
            }
          }
        }
      }
      versionTestbed.delay(Duration.ZERO);
    }
    return new BenchmarkResult(lines, table);
  }

  private static List<VersionContestant> contestants(
      EtcdComparison rivals, EtcdComparison.EtcdTask task) {
    List<VersionContestant> all = new ArrayList<>();
    all.add(new VersionContestant("versioned cache", rivals.cacheOperation(task, true)));
    if (task == EtcdComparison.EtcdTask.AT || task == EtcdComparison.EtcdTask.RANGE) {
      all.add(
          new VersionContestant(
              "versioned cache, no copies kept", rivals.cacheOperation(task, false)));
    }
    all.add(new VersionContestant("etcd", rivals.etcdOperation(task, false)));
    if (task != EtcdComparison.EtcdTask.ADD) {
      all.add(new VersionContestant("etcd, serializable", rivals.etcdOperation(task, true)));
    }
    if (task == EtcdComparison.EtcdTask.RANGE) {
      all.add(new VersionContestant("etcd, watch", rivals.etcdWatch()));
    }
    return all;
  }

  private static void addResult(
      BenchmarkOptions benchmarkOptions,
      List<Line> lines,
      List<String> table,
      int oneWay,
      int clients,
      EtcdComparison.EtcdTask task,
      VersionContest.Line line) {
    Histogram histogram = line.latencies().values().iterator().next();
    lines.add(
        new Line(
            oneWay,
            clients,
            task.title(),
            line.title(),
            line.perSecond(clients),
            line.ratio(),
            Latencies.of(histogram)));
    table.add(
        String.format(
            Locale.ROOT,
            "| %d | %d | %s | %s | %,.0f | **%.2f** (%.2f..%.2f) | %,d | %s |",
            oneWay,
            clients,
            task.title(),
            line.title(),
            line.perSecond(clients),
            line.ratio().median(),
            line.ratio().min(),
            line.ratio().max(),
            line.count(),
            LatencyDistributions.cell(histogram)));
    LatencyDistributions.keep(
        benchmarkOptions.versions().raw(),
        "etcd %s %s %d-ms %d-clients".formatted(task.title(), line.title(), oneWay, clients),
        histogram);
  }
}
