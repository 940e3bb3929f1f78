package io.ensemble.benchmarks.outage;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.contest.OutagePlan.Kill;
import io.ensemble.benchmarks.contest.ParallelRange;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.benchmarks.replication.WideAreaBenchmark;
import io.ensemble.benchmarks.report.SvgFile;
import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Question: what is the effect on callers when a node, or a whole site, is killed?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure failure}, in the repository's directory.
 *
 * <p>The setting of LEADS D2.6, section 5.5, figure 12: workload A, half writes, uniform. There are
 * three sites of three nodes, near and in memory; each node is a process that is killed by {@code
 * kill -9}. The client, in this process, is near the first site, which is the primary in SWMR and
 * the target of the kill. {@link OpenLoop} begins operations at a rate that two processors carry
 * with a margin; latencies count from the time at which an operation was due to begin. Rival: the
 * same run without a kill.
 */
public final class FailureBenchmark {

  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration LONGEST_CATCHING_UP = Duration.ofSeconds(30);
  private static final int READERS = 16;
  private static final int MOST_WARM_UP_SECONDS = 10;

  /**
   * The result of one run. Times without service and rates exclude the warm-up.
   *
   * @param killedAtSecond the actual time of the kill, or the planned time if there was none
   * @param begun operations, including those of the kinds below
   * @param notBegun operations that were dropped because too many were under way
   * @param readGapSeconds the longest time without a completed read
   * @param writeGapSeconds the longest time without a completed write
   * @param withinDeadline share of the operations due after the kill that completed in time
   * @param readsWithinDeadline the same of reads
   * @param writesWithinDeadline the same of writes
   * @param acknowledged writes, including the warm-up's
   * @param lost acknowledged writes that were missing at the end
   */
  public record FailureRun(
      String mode,
      Kill kill,
      double killedAtSecond,
      long begun,
      long done,
      long refused,
      long unknown,
      long notBegun,
      Latencies reads,
      Latencies writes,
      double readGapSeconds,
      double writeGapSeconds,
      double withinDeadline,
      double readsWithinDeadline,
      double writesWithinDeadline,
      long acknowledged,
      long lost,
      double[] readsPerSecond,
      double[] writesPerSecond) {}

  private final BenchmarkOptions benchmarkOptions;
  private final OutagePlan outagePlan;

  private FailureBenchmark(BenchmarkOptions benchmarkOptions) {
    this.benchmarkOptions = benchmarkOptions;
    this.outagePlan = benchmarkOptions.outage();
  }

  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<FailureRun> runs = new FailureBenchmark(benchmarkOptions).runs();
    return new BenchmarkResult(runs, table(runs));
  }

  private List<FailureRun> runs() {
    List<FailureRun> runs = new ArrayList<>();
    for (Mode mode : outagePlan.modes()) {
      List<FailureRun> ofMode = new ArrayList<>();
      try (TemporaryDirectory directory = TemporaryDirectory.make("ensemble-failure-");
          ProcessFederation federation = benchmarkOptions.federation(mode, directory.path())) {
        for (Kill kill : outagePlan.kills()) {
          federation.sites().forEach(ProcessSite::start);
          ofMode.add(run(mode, kill, federation));
        }
      }
      runs.addAll(ofMode);
      draw(mode, ofMode);
    }
    return runs;
  }

  private FailureRun run(Mode mode, Kill kill, ProcessFederation federation) {
    try (EnsembleCacheManager manager = manager(federation)) {
      EnsembleCache<String, byte[]> cache =
          manager.createCache(
              CacheDefinition.of("failure-" + UUID.randomUUID(), mode)
                  .sites(FederationProcess.SITES)
                  .deadline(DEADLINE)
                  .build());
      benchmarkOptions.say(
          "%s, %s killed: loading %,d keys", mode, kill, benchmarkOptions.records());
      KeyLoader.load(
          benchmarkOptions, READERS, i -> cache.put(Workload.key(i), OpenLoop.value(-1 - i)));
      benchmarkOptions.say(
          "%s, %s killed: %d s at %d/s", mode, kill, outagePlan.seconds(), outagePlan.perSecond());
      AtomicLong killedAt = new AtomicLong(TimeUnit.SECONDS.toNanos(outagePlan.killAtSecond()));
      List<OperationSample> samples = samples(cache, kill, federation.sites().get(0), killedAt);
      benchmarkOptions.say("%s, %s killed: reading back", mode, kill);
      return run(mode, kill, killedAt.get(), samples, countLost(cache, samples));
    }
  }

  private List<OperationSample> samples(
      EnsembleCache<String, byte[]> cache, Kill kill, ProcessSite victim, AtomicLong killedAt) {
    ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
    AtomicReference<Future<?>> done = new AtomicReference<>();
    try {
      OpenLoop loop =
          new OpenLoop(
              outagePlan.perSecond(),
              Math.min(MOST_WARM_UP_SECONDS, outagePlan.seconds()),
              outagePlan.seconds(),
              benchmarkOptions.records());
      List<OperationSample> samples =
          loop.run(
              cache.async(),
              zero ->
                  done.set(
                      killer.schedule(
                          () -> {
                            killedAt.set(System.nanoTime() - zero);
                            kill(kill, victim);
                          },
                          zero + killedAt.get() - System.nanoTime(),
                          TimeUnit.NANOSECONDS)));
      Objects.requireNonNull(done.get()).get();
      return samples;
    } catch (ExecutionException e) {
      throw new IllegalStateException("could not kill; what=" + kill, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } finally {
      killer.shutdownNow();
    }
  }

  private static void kill(Kill kill, ProcessSite victim) {
    switch (kill) {
      case NOTHING -> {}
      case NODE -> victim.killNodes(0);
      case SITE -> victim.kill();
    }
  }

  /** In WEAK, copies may be under way: a write that arrives in time is not lost. */
  private long countLost(EnsembleCache<String, byte[]> cache, List<OperationSample> samples) {
    Map<Integer, List<OperationSample>> written =
        samples.stream()
            .filter(each -> each.write() && each.end() != OperationSample.SampleOutcome.NOT_BEGUN)
            .collect(Collectors.groupingBy(OperationSample::key));
    List<Map.Entry<Integer, List<OperationSample>>> keys = List.copyOf(written.entrySet());
    AtomicLong last = new AtomicLong();
    Long none =
        BlockingCall.poll(
            () -> {
              last.set(0);
              ParallelRange.each(
                  READERS,
                  0,
                  keys.size(),
                  i -> {
                    byte[] found = cache.get(Workload.key(keys.get(i).getKey()));
                    last.addAndGet(
                        LostWriteCount.of(
                            keys.get(i).getValue(),
                            Optional.ofNullable(found).map(OpenLoop::number)));
                  });
              return last.get() == 0 ? last.get() : null;
            },
            LONGEST_CATCHING_UP);
    return none == null ? last.get() : 0;
  }

  private FailureRun run(
      Mode mode, Kill kill, long killedAt, List<OperationSample> all, long lost) {
    List<OperationSample> samples = all.stream().filter(each -> each.intendedNanos() >= 0).toList();
    List<OperationSample> reads = samples.stream().filter(each -> !each.write()).toList();
    List<OperationSample> writes = samples.stream().filter(OperationSample::write).toList();
    long end = TimeUnit.SECONDS.toNanos(outagePlan.seconds());
    long deadline = DEADLINE.toNanos();
    return new FailureRun(
        mode.name(),
        kill,
        killedAt / 1e9,
        samples.size(),
        count(samples, OperationSample.SampleOutcome.DONE),
        count(samples, OperationSample.SampleOutcome.REFUSED),
        count(samples, OperationSample.SampleOutcome.UNKNOWN),
        count(samples, OperationSample.SampleOutcome.NOT_BEGUN),
        AvailabilityStats.latencies(reads),
        AvailabilityStats.latencies(writes),
        AvailabilityStats.longestGapSeconds(reads, 0, end),
        AvailabilityStats.longestGapSeconds(writes, 0, end),
        AvailabilityStats.withinDeadline(samples, killedAt, end, deadline),
        AvailabilityStats.withinDeadline(reads, killedAt, end, deadline),
        AvailabilityStats.withinDeadline(writes, killedAt, end, deadline),
        all.stream().filter(each -> each.write() && each.done()).count(),
        lost,
        AvailabilityStats.perSecond(reads, outagePlan.seconds()),
        AvailabilityStats.perSecond(writes, outagePlan.seconds()));
  }

  private static long count(List<OperationSample> samples, OperationSample.SampleOutcome end) {
    return samples.stream().filter(each -> each.end() == end).count();
  }

  private static EnsembleCacheManager manager(ProcessFederation federation) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .definitions(new InMemoryDefinitions())
            .localSite(federation.sites().get(0).name());
    for (ProcessSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder.build();
  }

  private void draw(Mode mode, List<FailureRun> runs) {
    SvgFile picture =
        new SvgFile(
            "failure-" + mode.name().toLowerCase(Locale.ROOT) + ".svg", FailurePlot.draw(runs));
    benchmarkOptions.say("drew %s", picture.writeTo(outagePlan.figures()));
  }

  private static List<String> table(List<FailureRun> runs) {
    List<String> table = new ArrayList<>();
    table.add(
        "| mode | killed | reads p50 / p95 / p99 ms | writes p50 / p95 / p99 ms | without reads s |"
            + " without writes s | in time after the kill | of reads | of writes | refused |"
            + " unknown | not begun | acknowledged | lost |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (FailureRun run : runs) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | **%.2f** | **%.2f** | **%.2f %%** | %.2f %% | %.2f %% | %,d |"
                  + " %,d | %,d | %,d | **%,d** |",
              run.mode(),
              run.kill(),
              WideAreaBenchmark.millis(run.reads()),
              WideAreaBenchmark.millis(run.writes()),
              run.readGapSeconds(),
              run.writeGapSeconds(),
              100 * run.withinDeadline(),
              100 * run.readsWithinDeadline(),
              100 * run.writesWithinDeadline(),
              run.refused(),
              run.unknown(),
              run.notBegun(),
              run.acknowledged(),
              run.lost()));
    }
    return table;
  }
}
