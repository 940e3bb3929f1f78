package io.ensemble.benchmarks.contest;

import io.ensemble.benchmarks.measure.WeakBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Measures contenders in turns: a slice of each, one after the other, in an order that changes from
 * round to round, after a warm-up of all. Closed loop: each thread begins its next operation when
 * the last one has ended.
 *
 * @param threads operations in flight
 * @param sliceMillis the length of a slice, in which each thread makes one operation or more
 * @param warmUps rounds that are not counted
 * @param rounds rounds that are counted
 */
public record Contest(int threads, long sliceMillis, int warmUps, int rounds) {

  /**
   * The performance of one contender over all slices.
   *
   * @param perSecond operations per second, as callers saw them
   * @param settledPerSecond the same, including the time until the background work had ended
   * @param latencies the latencies of all operations
   * @param reads the latencies of reads
   * @param writes the latencies of writes
   * @param spent the counts of the meter meanwhile, including background work
   */
  public record ContestantResult(
      String name,
      double perSecond,
      double settledPerSecond,
      Latencies latencies,
      Latencies reads,
      Latencies writes,
      Map<String, Long> spent) {

    /**
     * A row of a table: the operation, the contender, percentiles of latencies in µs, and the rate.
     */
    public String row(Object what) {
      return String.format(
          Locale.ROOT,
          "| %s | %s | %s | %,.0f |",
          what,
          name,
          WeakBenchmark.percentiles(latencies),
          perSecond);
    }
  }

  /**
   * The performance of two contenders.
   *
   * @param ratio rate of the first to that of the second, as callers saw it
   * @param settledRatio the same, including the time until the background work had ended
   */
  public record Result(
      int threads,
      ContestantResult first,
      ContestantResult second,
      RatioSpread ratio,
      RatioSpread settledRatio) {}

  /** The performance of all contenders, in the given order. */
  public record ContestResults(List<ContestantResult> showings, List<List<ContestSlice>> slices) {

    /** Ratios of the rates of two contenders, round by round, as callers saw them. */
    public RatioSpread ratio(int one, int other) {
      return spread(one, other, ContestSlice::rate);
    }

    /** The same including the background work. */
    public RatioSpread settledRatio(int one, int other) {
      return spread(one, other, ContestSlice::settledRate);
    }

    private RatioSpread spread(int one, int other, ToDoubleFunction<ContestSlice> rate) {
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < slices.get(one).size(); round++) {
        ratios.add(
            rate.applyAsDouble(slices.get(one).get(round))
                / rate.applyAsDouble(slices.get(other).get(round)));
      }
      return RatioSpread.of(ratios);
    }
  }

  /** The result of one contender in one round. */
  record ContestSlice(long operations, long nanos, long settledNanos) {

    double rate() {
      return 1e9 * operations / nanos;
    }

    double settledRate() {
      return 1e9 * operations / settledNanos;
    }
  }

  /** The latencies of the operations of one or more loops. */
  private record LatencyHistograms(Histogram reads, Histogram writes) {

    LatencyHistograms() {
      this(new Histogram(3), new Histogram(3));
    }

    void add(LatencyHistograms other) {
      reads.add(other.reads);
      writes.add(other.writes);
    }

    Histogram all() {
      Histogram all = reads.copy();
      all.add(writes);
      return all;
    }
  }

  /** One contender's threads, numbers and times. */
  private final class ContenderRun implements AutoCloseable {

    private final Contender contender;
    private final Supplier<Map<String, Long>> meter;
    private final ExecutorService pool = Executors.newFixedThreadPool(threads);
    private final AtomicLong next = new AtomicLong();
    private final LatencyHistograms total = new LatencyHistograms();
    private final Map<String, Long> meterCounts = new TreeMap<>();
    private final List<ContestSlice> slices = new ArrayList<>();

    ContenderRun(Contender contender, Supplier<Map<String, Long>> meter) {
      this.contender = contender;
      this.meter = meter;
    }

    void slice(boolean counts) {
      Map<String, Long> before = meter.get();
      long start = System.nanoTime();
      long end = start + sliceMillis * 1_000_000;
      List<Future<LatencyHistograms>> loops = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        loops.add(pool.submit(() -> loop(end)));
      }
      LatencyHistograms all = new LatencyHistograms();
      loops.forEach(loop -> all.add(result(loop)));
      long ended = System.nanoTime();
      contender.settle().run();
      long settled = System.nanoTime();
      if (counts) {
        total.add(all);
        slices.add(new ContestSlice(all.all().getTotalCount(), ended - start, settled - start));
        meter
            .get()
            .forEach(
                (what, now) ->
                    meterCounts.merge(what, now - before.getOrDefault(what, 0L), Long::sum));
      }
    }

    private LatencyHistograms loop(long end) {
      LatencyHistograms times = new LatencyHistograms();
      long begin = System.nanoTime();
      do {
        long number = next.getAndIncrement();
        contender.operation().accept(number);
        long now = System.nanoTime();
        (contender.writes().test(number) ? times.writes() : times.reads()).recordValue(now - begin);
        begin = now;
      } while (begin < end);
      return times;
    }

    ContestantResult toResult() {
      Histogram all = total.all();
      return new ContestantResult(
          contender.name(),
          perSecond(all.getTotalCount(), slices.stream().mapToLong(ContestSlice::nanos).sum()),
          perSecond(
              all.getTotalCount(), slices.stream().mapToLong(ContestSlice::settledNanos).sum()),
          Latencies.of(all),
          Latencies.of(total.reads()),
          Latencies.of(total.writes()),
          meterCounts);
    }

    private static double perSecond(long operations, long nanos) {
      return Math.round(1e10 * operations / nanos) / 10.0;
    }

    @Override
    public void close() {
      pool.shutdownNow();
    }
  }

  /**
   * Runs two contenders.
   *
   * @throws RuntimeException if an operation failed with it, because a run with failures is useless
   */
  public Result run(Contender one, Contender other) {
    ContestResults standings = run(List.of(one, other), Map::of);
    return new Result(
        threads,
        standings.showings().get(0),
        standings.showings().get(1),
        standings.ratio(0, 1),
        standings.settledRatio(0, 1));
  }

  /**
   * Runs any number of contenders.
   *
   * @param meter returns counts that only grow, whichever contender runs
   * @throws RuntimeException if an operation failed with it, because a run with failures is useless
   */
  public ContestResults run(List<Contender> contenders, Supplier<Map<String, Long>> meter) {
    List<ContenderRun> sides =
        contenders.stream().map(contender -> new ContenderRun(contender, meter)).toList();
    try {
      for (int round = -warmUps; round < rounds; round++) {
        for (int turn = 0; turn < sides.size(); turn++) {
          boolean forwards = Math.floorMod(round, 2) == 0;
          sides.get(forwards ? turn : sides.size() - 1 - turn).slice(round >= 0);
        }
      }
      return new ContestResults(
          sides.stream().map(ContenderRun::toResult).toList(),
          sides.stream().map(side -> List.copyOf(side.slices)).toList());
    } finally {
      sides.forEach(ContenderRun::close);
    }
  }

  private static LatencyHistograms result(Future<LatencyHistograms> loop) {
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
