package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.objects.Tournament.Line;
import java.util.List;

/**
 * Question: how fast do several processes count together?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure counter}, in the repository's directory.
 *
 * <p>LEADS D2.6, figure 4: one counter, which each client increments in a closed loop. Rivals: the
 * same with a znode by compare-and-set, in memory and on disk, with Curator's {@code
 * DistributedAtomicLong}, and with Infinispan's strong counter. What was acknowledged is compared
 * with what the counter holds, after each slice.
 */
public final class Counting {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_COUNTER,
          Contestant.ZNODE_COUNTER,
          Contestant.ZNODE_COUNTER_ON_DISK,
          Contestant.CURATOR_COUNTER,
          Contestant.STRONG_COUNTER);

  private Counting() {}

  /** Measures. */
  public static Answer answer(Effort effort) {
    List<Line> lines =
        Tournament.lines(
            effort,
            CONTESTANTS,
            Loops.of("counter", effort),
            effort.crowd().clients(),
            size -> size);
    Figures.write(
        effort,
        "objects-counter.svg",
        CurvePlot.draw("Increments a second of one counter", "clients", lines, Line::perSecond));
    return new Answer(lines, Tables.rates("clients", lines));
  }
}
