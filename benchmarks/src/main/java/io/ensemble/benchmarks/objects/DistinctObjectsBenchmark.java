package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: what is the total rate of many objects, each with one client?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure distinct}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 3: compare-and-swap in a closed loop. Rivals: a znode set with
 * its version, in memory and on disk; a key of etcd put with its revision, if etcd is installed; an
 * entry of a plain cache, read and replaced with its version.
 */
public final class DistinctObjectsBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_REGISTER,
          Contestant.ZNODE_REGISTER,
          Contestant.ZNODE_REGISTER_ON_DISK,
          Contestant.ETCD_REGISTER,
          Contestant.ENTRY_REGISTER);

  private DistinctObjectsBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            CONTESTANTS,
            ClosedLoopTasks.of("register", benchmarkOptions),
            benchmarkOptions.objectPlan().objects(),
            size -> size);
    FigureFiles.write(
        benchmarkOptions,
        "objects-distinct.svg",
        CurvePlot.draw(
            "Compare-and-swaps a second, one client each", "objects", lines, Line::perSecond));
    return new BenchmarkResult(lines, ObjectTables.rates("objects", lines));
  }
}
