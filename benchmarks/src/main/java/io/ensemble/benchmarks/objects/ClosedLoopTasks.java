package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.objects.worker.WorkerTask;
import java.util.List;

/** Tasks of closed-loop clients. */
final class ClosedLoopTasks {

  private static final int WARM_PART = 3;

  private ClosedLoopTasks() {}

  static ObjectContest.TaskFactory of(String name, BenchmarkOptions benchmarkOptions) {
    long millis = benchmarkOptions.sliceMillis();
    return (contestant, size, round) ->
        new WorkerTask(
            WorkerTask.Kind.OPEN,
            contestant,
            name + "-" + size,
            List.of(),
            millis / WARM_PART,
            millis,
            0,
            round);
  }
}
