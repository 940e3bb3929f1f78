package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.objects.Tournament.Line;
import java.util.List;

/**
 * Question: what does a read-only method cost beside a plain get?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure read-only}, in the repository's directory.
 *
 * <p>One object that nobody changes, read in a closed loop. Rivals: the same object opened for
 * sequential consistency; a get of an entry as large as its own, in a cache with the same settings;
 * a znode's data, which may be old.
 */
public final class ReadOnlyCalls {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_READ,
          Contestant.ENTRY_READ,
          Contestant.OBJECT_SEQUENTIAL_READ,
          Contestant.ZNODE_READ);

  private ReadOnlyCalls() {}

  /** Measures. */
  public static Answer answer(Effort effort) {
    List<Line> lines =
        Tournament.lines(
            effort, CONTESTANTS, Loops.of("read", effort), effort.crowd().clients(), size -> size);
    return new Answer(lines, Tables.rates("clients", lines));
  }
}
