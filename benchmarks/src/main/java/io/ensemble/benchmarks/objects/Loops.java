package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import java.util.List;

/** Tasks of clients that are loops. */
final class Loops {

  private static final int WARM_PART = 3;

  private Loops() {}

  static Tournament.Tasks of(String name, Effort effort) {
    long millis = effort.sliceMillis();
    return (contestant, size, round) ->
        new Task(
            Task.Kind.OPEN,
            contestant,
            name + "-" + size,
            List.of(),
            millis / WARM_PART,
            millis,
            0,
            round);
  }
}
