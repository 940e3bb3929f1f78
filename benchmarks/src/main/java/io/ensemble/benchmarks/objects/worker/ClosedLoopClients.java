package io.ensemble.benchmarks.objects.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Closed-loop clients: each begins its next operation when the last one has ended. */
final class ClosedLoopClients {

  /**
   * The result of a run.
   *
   * @param done operations that ended, during the counted time or not
   * @param notBegun arrivals that were dropped because too many operations were under way
   * @param latencies the latencies of those that ended during the counted time
   */
  record Ran(long done, long notBegun, Histogram latencies) {

    static Ran none() {
      return new Ran(0, 0, new Histogram(3));
    }

    Ran and(Ran other) {
      Histogram both = latencies.copy();
      both.add(other.latencies);
      return new Ran(done + other.done, notBegun + other.notBegun, both);
    }
  }

  private ClosedLoopClients() {}

  /** Runs a thread for each client, and returns when the last operation of each has ended. */
  static Ran run(WorkerTask task, List<BenchmarkClient> plays) throws Exception {
    if (plays.isEmpty()) {
      return Ran.none();
    }
    ExecutorService threads = Executors.newFixedThreadPool(plays.size());
    try {
      long from = System.nanoTime() + task.warmMillis() * 1_000_000;
      long to = from + task.millis() * 1_000_000;
      List<Future<Ran>> loops = new ArrayList<>();
      plays.forEach(
          benchmarkClient -> loops.add(threads.submit(() -> loop(benchmarkClient, from, to))));
      Ran all = Ran.none();
      for (Future<Ran> loop : loops) {
        all = all.and(loop.get());
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Ran loop(BenchmarkClient benchmarkClient, long from, long to) throws Exception {
    Histogram latencies = new Histogram(3);
    long done = 0;
    long begun = System.nanoTime();
    while (begun - to < 0) {
      benchmarkClient.once();
      done++;
      long ended = System.nanoTime();
      if (ended - from >= 0 && ended - to < 0) {
        latencies.recordValue(ended - begun);
      }
      begun = ended;
    }
    return new Ran(done, 0, latencies);
  }
}
