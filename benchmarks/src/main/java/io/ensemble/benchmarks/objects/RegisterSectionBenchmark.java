package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.worker.Contestant;
import java.util.List;

/**
 * Question: how long does it take to enter and to leave a critical section of a lock from
 * registers?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure register-critical-section}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 2: the lock is an object from registers that is compared and
 * swapped until that succeeds, with pauses that grow. Entries arrive as a Poisson process, spread
 * over the processes, and do nothing inside. Time counts from the arrival to the end of leaving.
 * Rivals: a lock that is an atomic object, and Curator's {@code InterProcessMutex}, in memory and
 * on disk.
 */
public final class RegisterSectionBenchmark {

  private static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.REGISTER_LOCK,
          Contestant.OBJECT_LOCK,
          Contestant.CURATOR_LOCK,
          Contestant.CURATOR_LOCK_ON_DISK);

  private RegisterSectionBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    return CriticalSectionBenchmark.measure(
        benchmarkOptions, "register-lock", CONTESTANTS, "registers-critical-section.svg");
  }
}
