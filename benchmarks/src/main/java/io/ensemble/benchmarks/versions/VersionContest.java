package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.RatioSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures contestants in turns, a slice of each, in an order that changes from round to round.
 * Clients are closed loops: they begin their next operation when the last one has ended.
 *
 * @param clients the number of concurrent clients
 * @param millis the length of a slice, after a third of that which does not count
 * @param rounds the number of slices of each that count, in addition to one for warm-up
 */
record VersionContest(int clients, long millis, int rounds) {

  /** One client's operation. Thread-safe; a failure of it fails the run. */
  @FunctionalInterface
  interface VersionOperation {
    /**
     * Executes one operation.
     *
     * @param client the number of the client
     * @return the kind of operation
     */
    String runOnce(int client, SplittableRandom random) throws Exception;
  }

  /** A contestant. */
  record VersionContestant(String title, VersionOperation operation) {}

  /**
   * The performance of one contestant.
   *
   * @param meanMicros the mean time of an operation
   * @param ratio this one's mean time to the first contestant's, round by round
   * @param latencies in nanoseconds, by kind
   */
  record Line(
      String title, double meanMicros, RatioSpread ratio, Map<String, Histogram> latencies) {

    long count() {
      return latencies.values().stream().mapToLong(Histogram::getTotalCount).sum();
    }

    /** The rate of all clients together. */
    double perSecond(int clients) {
      return clients * 1e6 / meanMicros;
    }
  }

  private static final int WARM_PART = 3;
  private static final int DIGITS = 3;

  /** Measures; returns the lines in the contestants' order. */
  List<Line> compare(List<VersionContestant> contestants) {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      Map<VersionContestant, List<Map<String, Histogram>>> slices = new LinkedHashMap<>();
      for (int round = -1; round < rounds; round++) {
        for (int turn = 0; turn < contestants.size(); turn++) {
          int at = round % 2 == 0 ? turn : contestants.size() - 1 - turn;
          VersionContestant contestant = contestants.get(at);
          Map<String, Histogram> slice = slice(threads, contestant.operation(), round);
          if (round >= 0) {
            slices.computeIfAbsent(contestant, c -> new ArrayList<>()).add(slice);
          }
        }
      }
      List<Map<String, Histogram>> first = slicesOf(slices, contestants.get(0));
      return contestants.stream().map(c -> line(c.title(), first, slicesOf(slices, c))).toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an operation failed: " + e.getCause(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Map<String, Histogram>> slicesOf(
      Map<VersionContestant, List<Map<String, Histogram>>> slices, VersionContestant contestant) {
    return slices.getOrDefault(contestant, List.of());
  }

  private Map<String, Histogram> slice(
      ExecutorService threads, VersionOperation operation, int round)
      throws InterruptedException, ExecutionException {
    long from = System.nanoTime() + millis * 1_000_000 / WARM_PART;
    long to = from + millis * 1_000_000;
    List<Future<Map<String, Histogram>>> loops =
        IntStream.range(0, clients)
            .mapToObj(
                client ->
                    threads.submit(
                        () ->
                            loop(
                                operation,
                                client,
                                new SplittableRandom(31L * round + client),
                                from,
                                to)))
            .toList();
    Map<String, Histogram> all = new TreeMap<>();
    for (Future<Map<String, Histogram>> loop : loops) {
      add(all, loop.get());
    }
    return all;
  }

  /**
   * Counts the operations that begin in time, and waits for their end, so that slow ones are
   * counted completely as well.
   */
  private static Map<String, Histogram> loop(
      VersionOperation operation, int client, SplittableRandom random, long from, long to)
      throws Exception {
    Map<String, Histogram> latencies = new TreeMap<>();
    long begun = System.nanoTime();
    boolean counted = false;
    while (begun - to < 0 || !counted) {
      String kind = operation.runOnce(client, random);
      long ended = System.nanoTime();
      if (begun - from >= 0) {
        latencies.computeIfAbsent(kind, k -> new Histogram(DIGITS)).recordValue(ended - begun);
        counted = true;
      }
      begun = ended;
    }
    return latencies;
  }

  private static void add(Map<String, Histogram> all, Map<String, Histogram> more) {
    more.forEach(
        (kind, histogram) -> all.computeIfAbsent(kind, k -> new Histogram(DIGITS)).add(histogram));
  }

  private static Line line(
      String title, List<Map<String, Histogram>> first, List<Map<String, Histogram>> slices) {
    List<Double> ratios =
        IntStream.range(0, slices.size())
            .mapToObj(i -> mean(slices.get(i)) / mean(first.get(i)))
            .toList();
    Map<String, Histogram> all = new TreeMap<>();
    slices.forEach(slice -> add(all, slice));
    return new Line(title, mean(all) / 1e3, RatioSpread.of(ratios), all);
  }

  private static double mean(Map<String, Histogram> slice) {
    double sum = 0;
    long count = 0;
    for (Histogram each : slice.values()) {
      sum += each.getMean() * each.getTotalCount();
      count += each.getTotalCount();
    }
    return sum / count;
  }
}
