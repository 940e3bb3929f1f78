package io.ensemble.benchmarks.objects.worker;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Operations that arrive as a Poisson process, whether or not others have ended. The latency counts
 * from the arrival to the end, so it includes waiting for a thread.
 */
public final class PoissonArrivals {

  /** The maximum number of operations under way in a process. */
  static final int MOST_UNDER_WAY = 64;

  private static final int LONGEST_END_SECONDS = 60;

  private final long from;
  private final long to;
  private final Histogram latencies = new Histogram(3);
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private long done;

  private PoissonArrivals(long from, long to) {
    this.from = from;
    this.to = to;
  }

  /** The time from one arrival to the next in nanoseconds, for a uniform number below 1. */
  public static long gapNanos(double perSecond, double uniform) {
    return Math.round(-Math.log1p(-uniform) / perSecond * 1e9);
  }

  /**
   * Uses the first client, which must be thread-safe, and returns when all operations have ended.
   */
  static ClosedLoopClients.LoopResult run(WorkerTask task, List<BenchmarkClient> clients)
      throws Exception {
    if (clients.isEmpty()) {
      return ClosedLoopClients.LoopResult.none();
    }
    long from = System.nanoTime() + task.warmMillis() * 1_000_000;
    return new PoissonArrivals(from, from + task.millis() * 1_000_000).run(task, clients.get(0));
  }

  private ClosedLoopClients.LoopResult run(WorkerTask task, BenchmarkClient benchmarkClient)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(MOST_UNDER_WAY);
    Semaphore places = new Semaphore(MOST_UNDER_WAY);
    SplittableRandom random = new SplittableRandom(task.seed());
    CountDownLatch nobodyOpens = new CountDownLatch(1);
    long notBegun = 0;
    try {
      long next = System.nanoTime() + gapNanos(task.perSecond(), random.nextDouble());
      while (next - to < 0 && failure.get() == null) {
        boolean opened = nobodyOpens.await(next - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (opened) {
          throw new AssertionError("the permit is never released");
        }
        long arrived = next;
        if (places.tryAcquire()) {
          threads.execute(() -> runOperation(benchmarkClient, arrived, places));
        } else if (arrived - from >= 0) {
          notBegun++;
        }
        next += gapNanos(task.perSecond(), random.nextDouble());
      }
      if (!places.tryAcquire(MOST_UNDER_WAY, LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("operations did not end in time");
      }
    } finally {
      threads.shutdownNow();
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    synchronized (this) {
      return new ClosedLoopClients.LoopResult(done, notBegun, latencies);
    }
  }

  private void runOperation(BenchmarkClient benchmarkClient, long arrived, Semaphore places) {
    try {
      benchmarkClient.runOnce();
      recordEnd(arrived, System.nanoTime());
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    } finally {
      places.release();
    }
  }

  private synchronized void recordEnd(long arrived, long now) {
    done++;
    if (arrived - from >= 0) {
      latencies.recordValue(Math.max(0, now - arrived));
    }
  }
}
