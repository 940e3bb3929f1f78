package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.objects.Tournament.Line;
import java.util.List;

/**
 * Question: how much do many objects take together, each with one client?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure distinct}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 3: compare-and-swap in a closed loop. Rivals: a znode set with
 * its version, in memory and on disk; an entry of a plain cache, read and replaced with its
 * version.
 */
public final class Distinct {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_REGISTER,
          Contestant.ZNODE_REGISTER,
          Contestant.ZNODE_REGISTER_ON_DISK,
          Contestant.ENTRY_REGISTER);

  private Distinct() {}

  /** Measures. */
  public static Answer answer(Effort effort) {
    List<Line> lines =
        Tournament.lines(
            effort,
            CONTESTANTS,
            Loops.of("register", effort),
            effort.crowd().objects(),
            size -> size);
    Figures.write(
        effort,
        "objects-distinct.svg",
        CurvePlot.draw(
            "Compare-and-swaps a second, one client each", "objects", lines, Line::perSecond));
    return new Answer(lines, Tables.rates("objects", lines));
  }
}
