package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.versions.VersionContest.Contestant;
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
 * on its own, which may be old.
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
      for (int oneWay : benchmarkOptions.crowd().oneWayMillis()) {
        versionTestbed.delay(Duration.ofMillis(oneWay));
        for (EtcdComparison.Task task : EtcdComparison.Task.values()) {
          for (int clients : benchmarkOptions.versions().clients()) {
            benchmarkOptions.say("%d ms one way, %s, %d clients", oneWay, task.title(), clients);
            for (VersionContest.Line line :
                new VersionContest(
                        clients, benchmarkOptions.sliceMillis(), benchmarkOptions.crowd().rounds())
                    .compare(contestants(rivals, task))) {
              told(benchmarkOptions, lines, table, oneWay, clients, task, line);
            }
          }
        }
      }
      versionTestbed.delay(Duration.ZERO);
    }
    return new BenchmarkResult(lines, table);
  }

  private static List<Contestant> contestants(EtcdComparison rivals, EtcdComparison.Task task) {
    List<Contestant> all = new ArrayList<>();
    all.add(new Contestant("versioned cache", rivals.ours(task, true)));
    if (task == EtcdComparison.Task.AT || task == EtcdComparison.Task.RANGE) {
      all.add(new Contestant("versioned cache, no copies kept", rivals.ours(task, false)));
    }
    all.add(new Contestant("etcd", rivals.etcd(task, false)));
    if (task != EtcdComparison.Task.ADD) {
      all.add(new Contestant("etcd, serializable", rivals.etcd(task, true)));
    }
    return all;
  }

  private static void told(
      BenchmarkOptions benchmarkOptions,
      List<Line> lines,
      List<String> table,
      int oneWay,
      int clients,
      EtcdComparison.Task task,
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
