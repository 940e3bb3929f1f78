package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.objects.Tournament.Line;
import java.util.List;

/**
 * Question: how long does it take to enter a critical section and to leave it?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure critical-section}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 2: those who want to enter arrive as a Poisson process does,
 * spread over the processes, and do nothing inside. Time counts from the arrival to the end of
 * leaving. Rivals: Curator's {@code InterProcessMutex}, in memory and on disk.
 */
public final class CriticalSection {

  private static final List<Contestant> CONTESTANTS =
      List.of(Contestant.OBJECT_LOCK, Contestant.CURATOR_LOCK, Contestant.CURATOR_LOCK_ON_DISK);

  private CriticalSection() {}

  /** Measures. */
  public static Answer answer(Effort effort) {
    int processes = effort.crowd().processes();
    Tournament.Tasks loops = Loops.of("lock", effort);
    List<Line> lines =
        Tournament.lines(
            effort,
            CONTESTANTS,
            (contestant, size, round) -> loops.task(contestant, size, round).arriving(size),
            effort.crowd().arrivals(),
            size -> processes);
    Figures.write(
        effort,
        "objects-critical-section.svg",
        CurvePlot.draw(
            "Milliseconds to enter and leave, mean",
            "arrivals a second",
            lines,
            line -> line.latencies().meanMicros() / 1e3));
    return new Answer(lines, Tables.times(lines));
  }
}
