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
 * Operations that arrive as a Poisson process does, whether or not others have ended. An operation
 * takes from when it arrived until it has ended, so that waiting for a place counts.
 */
public final class PoissonArrivals {

  /** So many are under way in a process at most. */
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

  /** How long after an arrival the next one comes, in nanoseconds, for a number below 1. */
  public static long gapNanos(double perSecond, double uniform) {
    return Math.round(-Math.log1p(-uniform) / perSecond * 1e9);
  }

  /** Uses the first play, which must be thread-safe, and returns when all has ended. */
  static ClosedLoopClients.Ran run(WorkerTask task, List<BenchmarkClient> plays) throws Exception {
    if (plays.isEmpty()) {
      return ClosedLoopClients.Ran.none();
    }
    long from = System.nanoTime() + task.warmMillis() * 1_000_000;
    return new PoissonArrivals(from, from + task.millis() * 1_000_000).run(task, plays.get(0));
  }

  private ClosedLoopClients.Ran run(WorkerTask task, BenchmarkClient benchmarkClient)
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
          throw new AssertionError("nobody opens it");
        }
        long arrived = next;
        if (places.tryAcquire()) {
          threads.execute(() -> one(benchmarkClient, arrived, places));
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
      return new ClosedLoopClients.Ran(done, notBegun, latencies);
    }
  }

  private void one(BenchmarkClient benchmarkClient, long arrived, Semaphore places) {
    try {
      benchmarkClient.once();
      ended(arrived, System.nanoTime());
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    } finally {
      places.release();
    }
  }

  private synchronized void ended(long arrived, long now) {
    done++;
    if (arrived - from >= 0) {
      latencies.recordValue(Math.max(0, now - arrived));
    }
  }
}
