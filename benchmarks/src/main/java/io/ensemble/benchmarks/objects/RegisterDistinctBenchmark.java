package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: what is the total rate of many objects from registers, each with one client?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure register-distinct}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 3: compare-and-swap in a closed loop. The servers stay three:
 * more of them do not fit on one machine. Rivals: an atomic object, and a znode set with its
 * version, in memory and on disk.
 */
public final class RegisterDistinctBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.REGISTER_OBJECT,
          Contestant.OBJECT_REGISTER,
          Contestant.ZNODE_REGISTER,
          Contestant.ZNODE_REGISTER_ON_DISK);

  private RegisterDistinctBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            CONTESTANTS,
            ClosedLoopTasks.of("register-distinct", benchmarkOptions),
            benchmarkOptions.objectPlan().objects(),
            size -> size);
    FigureFiles.write(
        benchmarkOptions,
        "registers-distinct.svg",
        CurvePlot.draw(
            "Compare-and-swaps a second, one client each", "objects", lines, Line::perSecond));
    return new BenchmarkResult(lines, ObjectTables.rates("objects", lines));
  }
}
