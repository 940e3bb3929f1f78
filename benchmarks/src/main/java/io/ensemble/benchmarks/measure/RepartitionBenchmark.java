package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.distribution.RepartitionRun;
import io.ensemble.partition.PartitionerSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Question: how many entries are moved when a distributed cache of three parts gets a fourth, and
 * what is the effect on its users?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure growth --records 10000}.
 *
 * <p>The parts are in MWMR at three near sites, in another JVM, with entries of 16 bytes. One
 * process changes the parts; another meanwhile reads one key after the other, with a deadline that
 * is longer than the change. Ideal is a quarter of the entries, which the fourth part must have if
 * all parts are equal. Rival: the paper's partitioner, modulo.
 */
final class RepartitionBenchmark {

  private static final int PARTS = 3;
  private static final int THREADS = 16;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /**
   * The result of one partitioner.
   *
   * @param moved entries that were moved
   * @param ratio of these to a quarter of all
   * @param seconds the duration of the whole change
   * @param stayingMillis the longest read of a key that stays, during the change
   * @param movingMillis the longest read of a key that was moved
   * @param missing entries that were missing afterwards
   */
  public record Line(
      String partitioner,
      int entries,
      long moved,
      double ratio,
      double seconds,
      double stayingMillis,
      double movingMillis,
      int missing) {}

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;

  private RepartitionBenchmark(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    for (String partitioner : List.of("rendezvous", "modulo")) {
      lines.add(new RepartitionBenchmark(benchmarkOptions, federation).line(partitioner));
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private Line line(String partitioner) {
    Definitions definitions = new InMemoryDefinitions();
    try (CountedClient changing = new CountedClient(federation.sites(), definitions);
        CountedClient using = new CountedClient(federation.sites(), definitions)) {
      EnsembleCacheManager manager = changing.manager();
      DistributedDefinition three =
          new DistributedDefinition(
              "growth-" + partitioner,
              parts(manager, partitioner),
              PartitionerSpec.of(partitioner),
              false);
      EnsembleCache<String, byte[]> cache = manager.createDistributed(three);
      benchmarkOptions.say("%s: loading %,d entries", partitioner, benchmarkOptions.records());
      KeyLoader.load(benchmarkOptions, THREADS, i -> cache.put(Workload.key(i), new byte[16]));
      DistributedEnsembleCache<String, byte[]> used =
          using.manager().<String, byte[]>createDistributed(three).withDeadline(LONGEST);
      DistributedDefinition four = three.with(part(partitioner, PARTS));
      manager.createCache(definition(part(partitioner, PARTS)));
      benchmarkOptions.say("%s: a fourth part", partitioner);
      return measure(manager, used, four);
    }
  }

  private static List<String> parts(EnsembleCacheManager manager, String partitioner) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      parts.add(part(partitioner, i));
      manager.createCache(definition(part(partitioner, i)));
    }
    return parts;
  }

  private static String part(String partitioner, int number) {
    return "growth-%s-%d".formatted(partitioner, number);
  }

  private static CacheDefinition definition(String part) {
    return CacheDefinition.of(part, Mode.MWMR)
        .sites(FederationProcess.SITES)
        .deadline(Duration.ofSeconds(30))
        .build();
  }

  private Line measure(
      EnsembleCacheManager manager,
      DistributedEnsembleCache<String, byte[]> used,
      DistributedDefinition four) {
    String cache = four.name();
    List<String> before = new ArrayList<>();
    for (int i = 0; i < benchmarkOptions.records(); i++) {
      used.get(Workload.key(i));
      before.add(used.locate(Workload.key(i)).getName());
    }
    SplittableRandom random = new SplittableRandom(1);
    List<long[]> reads = new ArrayList<>();
    long began = System.nanoTime();
    RepartitionRun run = manager.parts().alter(four);
    while (!run.done().toCompletableFuture().isDone()) {
      int key = random.nextInt(benchmarkOptions.records());
      long lastCheckNanos = System.nanoTime();
      used.get(Workload.key(key));
      reads.add(new long[] {key, System.nanoTime() - lastCheckNanos});
    }
    awaitEnd(run);
    double seconds = (System.nanoTime() - began) / 1e9;
    int unused = used.size(); // By then it has seen the end.
    double staying = 0;
    double moving = 0;
    for (long[] read : reads) {
      int key = (int) read[0];
      boolean moved = !used.locate(Workload.key(key)).getName().equals(before.get(key));
      staying = moved ? staying : Math.max(staying, read[1] / 1e6);
      moving = moved ? Math.max(moving, read[1] / 1e6) : moving;
    }
    int missing = 0;
    for (int i = 0; i < benchmarkOptions.records(); i++) {
      missing += used.get(Workload.key(i)) == null ? 1 : 0;
    }
    return new Line(
        cache.substring("growth-".length()),
        benchmarkOptions.records(),
        run.moved(),
        Math.round(1000.0 * run.moved() * (PARTS + 1) / benchmarkOptions.records()) / 1000.0,
        Math.round(100 * seconds) / 100.0,
        Math.round(10 * staying) / 10.0,
        Math.round(10 * moving) / 10.0,
        missing);
  }

  private static void awaitEnd(RepartitionRun run) {
    try {
      run.done().toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the parts did not change", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| partitioner | entries | moved | of the ideal | s | longest read, staying / moving ms |"
            + " missing |");
    table.add("|---|---|---|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %,d | **%.3f** | %.1f | %.0f / %.0f | %d |",
              line.partitioner,
              line.entries,
              line.moved,
              line.ratio,
              line.seconds,
              line.stayingMillis,
              line.movingMillis,
              line.missing));
    }
    return table;
  }
}
