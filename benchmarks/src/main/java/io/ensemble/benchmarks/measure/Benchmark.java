package io.ensemble.benchmarks.measure;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.heat.HeatBenchmark;
import io.ensemble.benchmarks.objects.CounterBenchmark;
import io.ensemble.benchmarks.objects.CriticalSectionBenchmark;
import io.ensemble.benchmarks.objects.DistinctObjectsBenchmark;
import io.ensemble.benchmarks.objects.ObjectRequestBenchmark;
import io.ensemble.benchmarks.objects.ReadOnlyBenchmark;
import io.ensemble.benchmarks.objects.RegisterDistinctBenchmark;
import io.ensemble.benchmarks.objects.RegisterSectionBenchmark;
import io.ensemble.benchmarks.objects.RegisterSwapBenchmark;
import io.ensemble.benchmarks.outage.DrainBenchmark;
import io.ensemble.benchmarks.outage.FailureBenchmark;
import io.ensemble.benchmarks.outage.RepairBenchmark;
import io.ensemble.benchmarks.replication.TwoSiteBenchmark;
import io.ensemble.benchmarks.replication.WideAreaBenchmark;
import io.ensemble.benchmarks.tree.TreeBenchmark;
import io.ensemble.benchmarks.tree.TreeGuestsBenchmark;
import io.ensemble.benchmarks.tree.TreeLoadBenchmark;
import io.ensemble.benchmarks.tree.TreeSizeBenchmark;
import io.ensemble.benchmarks.versions.EtcdBenchmark;
import io.ensemble.benchmarks.versions.VersionCountBenchmark;
import io.ensemble.benchmarks.versions.VersionInsertBenchmark;
import io.ensemble.benchmarks.versions.VersionReplayBenchmark;
import io.ensemble.benchmarks.versions.VersionStorageBenchmark;
import io.ensemble.benchmarks.zoofence.LedgerBenchmark;
import io.ensemble.benchmarks.zoofence.QueueBenchmark;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The questions. */
public enum Benchmark {
  /** See {@link WeakBenchmark}. */
  WEAK_RATIO(WeakBenchmark::answer),
  /** See {@link RoundTripBenchmark}. */
  ROUND_TRIPS(RoundTripBenchmark::answer),
  /** See {@link MwmrBenchmark}. */
  MWMR_RATIO(MwmrBenchmark::answer),
  /** See {@link HeatBenchmark}. */
  HEAT(HeatBenchmark::answer),
  /** See {@link HotKeyBenchmark}. */
  HOT_KEY(HotKeyBenchmark::answer),
  /** See {@link EnvelopeSizeBenchmark}. */
  ENVELOPE(EnvelopeSizeBenchmark::answer),
  /** See {@link ClientMemoryBenchmark}. */
  MEMORY(ClientMemoryBenchmark::answer),
  /** See {@link SiteHeapBenchmark}. */
  SITE_MEMORY(SiteHeapBenchmark::answer),
  /** See {@link WideAreaBenchmark}. */
  WIDE_AREA(
      benchmarkOptions ->
          FederationProcess.start(
              benchmarkOptions.nodes(), benchmarkOptions.wan(), FederationProcess.SITES),
      WideAreaBenchmark::answer),
  /** See {@link NearCacheBenchmark}. */
  NEAR_CACHE(
      benchmarkOptions ->
          FederationProcess.start(
              benchmarkOptions.nodes(), benchmarkOptions.wan(), FederationProcess.SITES),
      NearCacheBenchmark::answer),
  /** See {@link TwoSiteBenchmark}. */
  TWO_SITES(
      benchmarkOptions ->
          FederationProcess.start(
              benchmarkOptions.nodes(),
              benchmarkOptions.wan(),
              FederationProcess.SITES.subList(0, 2)),
      TwoSiteBenchmark::answer),
  /** See {@link FailureBenchmark}. */
  FAILURE(FailureBenchmark::answer),
  /** See {@link RepairBenchmark}. */
  REPAIR(RepairBenchmark::answer),
  /** See {@link DrainBenchmark}. */
  DRAIN(DrainBenchmark::start, DrainBenchmark::answer),
  /** See {@link RepartitionBenchmark}. */
  GROWTH(RepartitionBenchmark::answer),
  /** See {@link RestBenchmark}. */
  REST_RATIO(RestBenchmark::answer),
  /** See {@link ObjectStoreBenchmark}. */
  OBJECT_STORES(ObjectStoreBenchmark::answer),
  /** See {@link CounterBenchmark}. */
  COUNTER(CounterBenchmark::answer),
  /** See {@link DistinctObjectsBenchmark}. */
  DISTINCT(DistinctObjectsBenchmark::answer),
  /** See {@link ObjectRequestBenchmark}. */
  OBJECT_REQUESTS(ObjectRequestBenchmark::answer),
  /** See {@link CriticalSectionBenchmark}. */
  CRITICAL_SECTION(CriticalSectionBenchmark::answer),
  /** See {@link ReadOnlyBenchmark}. */
  READ_ONLY(ReadOnlyBenchmark::answer),
  /** See {@link RegisterSwapBenchmark}. */
  REGISTER_SWAP(RegisterSwapBenchmark::answer),
  /** See {@link RegisterSectionBenchmark}. */
  REGISTER_CRITICAL_SECTION(RegisterSectionBenchmark::answer),
  /** See {@link RegisterDistinctBenchmark}. */
  REGISTER_DISTINCT(RegisterDistinctBenchmark::answer),
  /** See {@link TreeBenchmark}. */
  TREE(TreeBenchmark::answer),
  /** See {@link TreeSizeBenchmark}. */
  TREE_SIZES(TreeSizeBenchmark::answer),
  /** See {@link TreeGuestsBenchmark}. */
  TREE_GUESTS(TreeGuestsBenchmark::answer),
  /** See {@link TreeLoadBenchmark}. */
  TREE_LOAD(TreeLoadBenchmark::answer),
  /** See {@link VersionInsertBenchmark}. */
  VERSION_INSERTION(VersionInsertBenchmark::answer),
  /** See {@link VersionStorageBenchmark}. */
  VERSION_STORAGE(VersionStorageBenchmark::answer),
  /** See {@link VersionReplayBenchmark}. */
  VERSION_REPLAY(VersionReplayBenchmark::answer),
  /** See {@link EtcdBenchmark}. */
  VERSION_ETCD(EtcdBenchmark::answer),
  /** See {@link VersionCountBenchmark}. */
  VERSION_SIZES(VersionCountBenchmark::answer),
  /** See {@link QueueBenchmark}. */
  ZOOFENCE_QUEUES(QueueBenchmark::answer),
  /** See {@link LedgerBenchmark}. */
  ZOOFENCE_BOOKKEEPER(LedgerBenchmark::answer);

  private final Function<BenchmarkOptions, BenchmarkResult> ownFederation;
  private final BiFunction<BenchmarkOptions, FederationProcess, BenchmarkResult> sharedFederation;

  Benchmark(BiFunction<BenchmarkOptions, FederationProcess, BenchmarkResult> sharedFederation) {
    this(benchmarkOptions -> FederationProcess.start(benchmarkOptions.nodes()), sharedFederation);
  }

  Benchmark(
      Function<BenchmarkOptions, FederationProcess> start,
      BiFunction<BenchmarkOptions, FederationProcess, BenchmarkResult> sharedFederation) {
    this.sharedFederation = sharedFederation;
    this.ownFederation =
        benchmarkOptions -> {
          try (FederationProcess federation = start.apply(benchmarkOptions)) {
            return sharedFederation.apply(benchmarkOptions, federation);
          }
        };
  }

  /** A question whose program starts federations itself. */
  Benchmark(Function<BenchmarkOptions, BenchmarkResult> ownFederation) {
    this.sharedFederation = (benchmarkOptions, federation) -> ownFederation.apply(benchmarkOptions);
    this.ownFederation = ownFederation;
  }

  /** Starts a federation, measures, and stops it. Takes minutes. */
  public BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    return ownFederation.apply(benchmarkOptions);
  }

  /** Measures in {@code federation}, which {@link #ROUND_TRIPS} leaves a site short. */
  BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    return sharedFederation.apply(benchmarkOptions, federation);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
