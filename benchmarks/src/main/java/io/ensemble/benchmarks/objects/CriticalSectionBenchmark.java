package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: how long does it take to enter a critical section and to leave it?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure critical-section}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 2: entries arrive as a Poisson process, spread over the
 * processes, and do nothing inside. Time counts from the arrival to the end of leaving. Rivals:
 * Curator's {@code InterProcessMutex}, in memory and on disk.
 */
public final class CriticalSectionBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(Contestant.OBJECT_LOCK, Contestant.CURATOR_LOCK, Contestant.CURATOR_LOCK_ON_DISK);

  private CriticalSectionBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    return measure(benchmarkOptions, "lock", CONTESTANTS, "objects-critical-section.svg");
  }

  /**
   * Measures locks.
   *
   * @param name the beginning of the names of the locks
   * @param figure the file of the picture
   */
  static BenchmarkResult measure(
      BenchmarkOptions benchmarkOptions, String name, List<Contestant> contestants, String figure) {
    int processes = benchmarkOptions.objectPlan().processes();
    ObjectContest.TaskFactory loops = ClosedLoopTasks.of(name, benchmarkOptions);
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            contestants,
            (contestant, size, round) -> loops.task(contestant, size, round).arriving(size),
            benchmarkOptions.objectPlan().arrivals(),
            size -> processes);
    FigureFiles.write(
        benchmarkOptions,
        figure,
        CurvePlot.draw(
            "Milliseconds to enter and leave, mean",
            "arrivals a second",
            lines,
            line -> line.latencies().meanMicros() / 1e3));
    return new BenchmarkResult(lines, ObjectTables.times(lines));
  }
}
