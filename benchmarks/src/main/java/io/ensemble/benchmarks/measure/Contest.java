package io.ensemble.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Measures two contenders in turns: a slice of the one, a slice of the other, the order changing
 * from round to round, after a warm-up of both. Closed loop: each thread begins its next operation
 * when the last one has ended.
 *
 * @param threads operations in flight
 * @param sliceMillis how long a slice takes
 * @param warmUps rounds that are not counted
 * @param rounds rounds that are
 */
record Contest(int threads, long sliceMillis, int warmUps, int rounds) {

  /** How one of the two did, over all slices. */
  public record Showing(String name, double perSecond, Latencies latencies) {}

  /**
   * How it ended.
   *
   * @param ratio rate of the first to that of the second, as callers saw it
   * @param settledRatio the same, with the time until what was left in the background was done
   *     counted as well
   */
  public record Result(
      int threads, Showing first, Showing second, Spread ratio, Spread settledRatio) {}

  private record Slice(long operations, long nanos, long settledNanos) {

    double rate() {
      return 1e9 * operations / nanos;
    }

    double settledRate() {
      return 1e9 * operations / settledNanos;
    }
  }

  /** One contender's threads, numbers and times. */
  private final class Side implements AutoCloseable {

    private final Contender contender;
    private final ExecutorService pool = Executors.newFixedThreadPool(threads);
    private final AtomicLong next = new AtomicLong();
    private final Histogram total = new Histogram(3);
    private long operations;
    private long nanos;

    Side(Contender contender) {
      this.contender = contender;
    }

    Slice slice(boolean counts) {
      long start = System.nanoTime();
      long end = start + sliceMillis * 1_000_000;
      List<Future<Histogram>> loops = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        loops.add(pool.submit(() -> loop(end)));
      }
      Histogram all = new Histogram(3);
      loops.forEach(loop -> all.add(result(loop)));
      long ended = System.nanoTime();
      contender.settle().run();
      Slice slice = new Slice(all.getTotalCount(), ended - start, System.nanoTime() - start);
      if (counts) {
        total.add(all);
        operations += slice.operations();
        nanos += slice.nanos();
      }
      return slice;
    }

    private Histogram loop(long end) {
      Histogram histogram = new Histogram(3);
      long begin = System.nanoTime();
      while (begin < end) {
        contender.operation().accept(next.getAndIncrement());
        long now = System.nanoTime();
        histogram.recordValue(now - begin);
        begin = now;
      }
      return histogram;
    }

    Showing showing() {
      return new Showing(
          contender.name(), Math.round(1e9 * operations / nanos), Latencies.of(total));
    }

    @Override
    public void close() {
      pool.shutdownNow();
    }
  }

  /**
   * Runs it.
   *
   * @throws RuntimeException what an operation failed with: a run with failures says nothing
   */
  Result run(Contender one, Contender other) {
    try (Side first = new Side(one);
        Side second = new Side(other)) {
      List<Double> ratios = new ArrayList<>();
      List<Double> settled = new ArrayList<>();
      for (int round = -warmUps; round < rounds; round++) {
        boolean counts = round >= 0;
        boolean firstBegins = Math.floorMod(round, 2) == 0;
        Slice early = (firstBegins ? first : second).slice(counts);
        Slice late = (firstBegins ? second : first).slice(counts);
        Slice ours = firstBegins ? early : late;
        Slice theirs = firstBegins ? late : early;
        if (counts) {
          ratios.add(ours.rate() / theirs.rate());
          settled.add(ours.settledRate() / theirs.settledRate());
        }
      }
      return new Result(
          threads, first.showing(), second.showing(), Spread.of(ratios), Spread.of(settled));
    }
  }

  private static Histogram result(Future<Histogram> loop) {
    try {
      return loop.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException("an operation failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }
}
