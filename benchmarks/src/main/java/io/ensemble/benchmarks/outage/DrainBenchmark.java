package io.ensemble.benchmarks.outage;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.testkit.link.WanProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Question: what is the effect on callers while a site is drained?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure drain}.
 *
 * <p>Four near sites run in one other process, with a cache at three of them. {@link OpenLoop}
 * begins operations, half of them writes, at a rate that two processors carry with a margin. In the
 * middle of the run another manager moves the cache from one of its sites to the fourth, as {@code
 * sites drain} does with each cache. Rival: the seconds of the same run before that.
 */
public final class DrainBenchmark {

  static final List<String> SITES = List.of("lyon", "oslo", "rome", "bern");

  private static final String CACHE = "drained";
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int THREADS = 16;
  private static final int WARM_UP_SECONDS = 5;

  /**
   * The result of one mode.
   *
   * @param seconds from the begin of the change to its end
   * @param before answered operations per second before the change
   * @param during the same from its begin to its end
   * @param gapSeconds the longest time without an answer
   * @param failed operations that were refused or are of unknown outcome
   */
  public record Line(
      String mode,
      int entries,
      double seconds,
      double before,
      double during,
      Latencies beforeLatencies,
      Latencies duringLatencies,
      double gapSeconds,
      long failed) {

    /** The remaining share of the throughput. */
    public double ratio() {
      return during / before;
    }
  }

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;

  private DrainBenchmark(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
  }

  public static FederationProcess start(BenchmarkOptions benchmarkOptions) {
    return FederationProcess.start(benchmarkOptions.nodes(), WanProfile.NONE, SITES);
  }

  public static BenchmarkResult answer(
      BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    for (Mode mode : benchmarkOptions.outage().modes()) {
      lines.add(new DrainBenchmark(benchmarkOptions, federation).line(mode));
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private static CacheDefinition definition(Mode mode, List<String> sites) {
    return CacheDefinition.of(CACHE, mode)
        .sites(sites)
        .acknowledgement(Acknowledgement.MAJORITY)
        .deadline(DEADLINE)
        .build();
  }

  private Line line(Mode mode) {
    Definitions definitions = new InMemoryDefinitions();
    try (CountedClient using = new CountedClient(federation.sites(), definitions);
        CountedClient moving = new CountedClient(federation.sites(), definitions)) {
      EnsembleCacheManager operator = moving.manager();
      EnsembleCache<String, byte[]> cache =
          using.manager().createCache(definition(mode, SITES.subList(0, 3)));
      benchmarkOptions.say("%s: loading %,d entries", mode, benchmarkOptions.records());
      KeyLoader.load(
          benchmarkOptions, THREADS, i -> cache.put(Workload.key(i), OpenLoop.value(-1 - i)));
      AtomicLong begun = new AtomicLong();
      AtomicLong ended = new AtomicLong();
      List<OperationSample> samples =
          samples(
              cache,
              zero -> {
                begun.set(System.nanoTime() - zero);
                benchmarkOptions.say("%s: draining", mode);
                operator
                    .alter(definition(mode, List.of("lyon", "bern", "rome")))
                    .done()
                    .toCompletableFuture()
                    .join();
                ended.set(System.nanoTime() - zero);
                benchmarkOptions.say(
                    "%s: drained after %.1f s", mode, (ended.get() - begun.get()) / 1e9);
              });
      using.manager().deleteCache(CACHE);
      return line(mode, samples, begun.get(), ended.get());
    }
  }

  private interface DrainStarter {
    void start(long zeroNanos);
  }

  private List<OperationSample> samples(
      EnsembleCache<String, byte[]> cache, DrainStarter draining) {
    OutagePlan outage = benchmarkOptions.outage();
    ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    AtomicReference<Future<?>> done = new AtomicReference<>();
    try {
      List<OperationSample> samples =
          new OpenLoop(
                  outage.perSecond(), WARM_UP_SECONDS, outage.seconds(), benchmarkOptions.records())
              .run(
                  cache.async(),
                  zero ->
                      done.set(
                          thread.schedule(
                              () -> draining.start(zero),
                              zero
                                  + TimeUnit.SECONDS.toNanos(outage.killAtSecond())
                                  - System.nanoTime(),
                              TimeUnit.NANOSECONDS)));
      Objects.requireNonNull(done.get()).get();
      return samples;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the site was not drained", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } finally {
      thread.shutdownNow();
    }
  }

  private Line line(Mode mode, List<OperationSample> all, long begun, long ended) {
    long end = Math.min(ended, TimeUnit.SECONDS.toNanos(benchmarkOptions.outage().seconds()));
    List<OperationSample> before = due(all, 0, begun);
    List<OperationSample> during = due(all, begun, end);
    return new Line(
        mode.name(),
        benchmarkOptions.records(),
        (ended - begun) / 1e9,
        perSecond(all, 0, begun),
        perSecond(all, begun, end),
        AvailabilityStats.latencies(before),
        AvailabilityStats.latencies(during),
        AvailabilityStats.longestGapSeconds(all, begun, end),
        all.stream().filter(each -> each.intendedNanos() >= 0 && !each.done()).count());
  }

  private static List<OperationSample> due(List<OperationSample> samples, long from, long to) {
    return samples.stream()
        .filter(each -> each.intendedNanos() >= from && each.intendedNanos() < to)
        .toList();
  }

  private static double perSecond(List<OperationSample> samples, long from, long to) {
    long answered =
        samples.stream()
            .filter(OperationSample::done)
            .filter(each -> each.endedNanos() >= from && each.endedNanos() < to)
            .count();
    return answered * 1e9 / (to - from);
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| mode | entries | drained in | answered a second before | meanwhile | ratio | p99 before"
            + " | meanwhile | longest time without an answer | failed |");
    table.add("|---|---|---|---|---|---|---|---|---|---|");
    lines.forEach(
        line ->
            table.add(
                String.format(
                    Locale.ROOT,
                    "| %s | %,d | %.1f s | %.0f | %.0f | **%.2f** | %.1f ms | %.1f ms | %.1f s | %d"
                        + " |",
                    line.mode(),
                    line.entries(),
                    line.seconds(),
                    line.before(),
                    line.during(),
                    line.ratio(),
                    line.beforeLatencies().p99Micros() / 1e3,
                    line.duringLatencies().p99Micros() / 1e3,
                    line.gapSeconds(),
                    line.failed())));
    return table;
  }
}
