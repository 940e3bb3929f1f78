package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: how long does a compare-and-swap of several clients on one object from registers take?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure register-swap}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 1: the expected and the next number are drawn at random below a
 * greatest one, in a closed loop. The smaller that is, the more calls change the object. Rivals: an
 * atomic object, and a znode that is read and set with its version.
 */
public final class RegisterSwapBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.REGISTER_SWAP_10,
          Contestant.REGISTER_SWAP_2,
          Contestant.REGISTER_SWAP_100,
          Contestant.OBJECT_SWAP_10,
          Contestant.ZNODE_SWAP_10);

  private RegisterSwapBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            CONTESTANTS,
            ClosedLoopTasks.of("swap", benchmarkOptions),
            benchmarkOptions.objectPlan().clients(),
            size -> size);
    FigureFiles.write(
        benchmarkOptions,
        "registers-swap.svg",
        CurvePlot.draw(
            "Milliseconds of a compare-and-swap, mean",
            "clients",
            lines,
            line -> line.latencies().meanMicros() / 1e3));
    return new BenchmarkResult(lines, ObjectTables.rates("clients", lines));
  }
}
