package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: what does a read-only method cost in comparison with a plain get?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure read-only}, in the repository's directory.
 *
 * <p>One object without changes is read in a closed loop. Rivals: the same object opened for
 * sequential consistency; a get of an entry of the same size, in a cache with two owners; a znode's
 * data, which may be old; a key of etcd, if etcd is installed, by a linearizable read and by a
 * serializable one, which may be old.
 */
public final class ReadOnlyBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.OBJECT_READ,
          Contestant.ENTRY_READ,
          Contestant.OBJECT_SEQUENTIAL_READ,
          Contestant.ZNODE_READ,
          Contestant.ETCD_READ,
          Contestant.ETCD_SERIALIZABLE_READ);

  private ReadOnlyBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines =
        ObjectContest.lines(
            benchmarkOptions,
            CONTESTANTS,
            ClosedLoopTasks.of("read", benchmarkOptions),
            benchmarkOptions.objectPlan().clients(),
            size -> size);
    return new BenchmarkResult(lines, ObjectTables.rates("clients", lines));
  }
}
