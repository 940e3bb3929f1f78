package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: how fast do several processes count together?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure counter}, in the repository's directory.
 *
 * <p>LEADS D2.6, figure 4: one counter, which each client increments in a closed loop. Rivals: the
 * same with a znode by compare-and-set, in memory and on disk, with Curator's {@code
 * DistributedAtomicLong}, with a key of etcd by transactions, if etcd is installed, and with
 * Infinispan's strong counter. After each slice the acknowledged increments are compared with the
 * value of the counter.
 */
public final class CounterBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_COUNTER,
          Contestant.ZNODE_COUNTER,
          Contestant.ZNODE_COUNTER_ON_DISK,
          Contestant.CURATOR_COUNTER,
          Contestant.ETCD_COUNTER,
          Contestant.STRONG_COUNTER);

  private CounterBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            CONTESTANTS,
            ClosedLoopTasks.of("counter", benchmarkOptions),
            benchmarkOptions.objectPlan().clients(),
            size -> size);
    FigureFiles.write(
        benchmarkOptions,
        "objects-counter.svg",
        CurvePlot.draw("Increments a second of one counter", "clients", lines, Line::perSecond));
    return new BenchmarkResult(lines, ObjectTables.rates("clients", lines));
  }
}
