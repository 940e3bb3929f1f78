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
  record LoopResult(long done, long notBegun, Histogram latencies) {

    static LoopResult none() {
      return new LoopResult(0, 0, new Histogram(3));
    }

    LoopResult and(LoopResult other) {
      Histogram both = latencies.copy();
      both.add(other.latencies);
      return new LoopResult(done + other.done, notBegun + other.notBegun, both);
    }
  }

  private ClosedLoopClients() {}

  /** Runs a thread for each client, and returns when the last operation of each has ended. */
  static LoopResult run(WorkerTask task, List<BenchmarkClient> clients) throws Exception {
    if (clients.isEmpty()) {
      return LoopResult.none();
    }
    ExecutorService threads = Executors.newFixedThreadPool(clients.size());
    try {
      long from = System.nanoTime() + task.warmMillis() * 1_000_000;
      long to = from + task.millis() * 1_000_000;
      List<Future<LoopResult>> loops = new ArrayList<>();
      clients.forEach(
          benchmarkClient -> loops.add(threads.submit(() -> loop(benchmarkClient, from, to))));
      LoopResult all = LoopResult.none();
      for (Future<LoopResult> loop : loops) {
        all = all.and(loop.get());
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }

  private static LoopResult loop(BenchmarkClient benchmarkClient, long from, long to)
      throws Exception {
    Histogram latencies = new Histogram(3);
    long done = 0;
    long begun = System.nanoTime();
    while (begun - to < 0) {
      benchmarkClient.runOnce();
      done++;
      long ended = System.nanoTime();
      if (ended - from >= 0 && ended - to < 0) {
        latencies.recordValue(ended - begun);
      }
      begun = ended;
    }
    return new LoopResult(done, 0, latencies);
  }
}
