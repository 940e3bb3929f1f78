package io.ensemble.benchmarks.measure;

import io.ensemble.benchmarks.objects.Counting;
import io.ensemble.benchmarks.objects.CriticalSection;
import io.ensemble.benchmarks.objects.Distinct;
import io.ensemble.benchmarks.objects.ReadOnlyCalls;
import io.ensemble.benchmarks.versions.BesideEtcd;
import io.ensemble.benchmarks.versions.Insertion;
import io.ensemble.benchmarks.versions.Replay;
import io.ensemble.benchmarks.versions.Sizes;
import io.ensemble.benchmarks.versions.Storage;
import io.ensemble.benchmarks.zoofence.ConcurrentQueues;
import io.ensemble.benchmarks.zoofence.Ledgers;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What can be asked. */
public enum Question {
  /** See {@link WeakRatio}. */
  WEAK_RATIO(WeakRatio::answer),
  /** See {@link RoundTrips}. */
  ROUND_TRIPS(RoundTrips::answer),
  /** See {@link MwmrRatio}. */
  MWMR_RATIO(MwmrRatio::answer),
  /** See {@link HotKey}. */
  HOT_KEY(HotKey::answer),
  /** See {@link EnvelopeSize}. */
  ENVELOPE(EnvelopeSize::answer),
  /** See {@link ClientMemory}. */
  MEMORY(ClientMemory::answer),
  /** See {@link SiteHeap}. */
  SITE_MEMORY(SiteHeap::answer),
  /** See {@link FarSites}. */
  WIDE_AREA(
      effort -> FederationProcess.start(effort.nodes(), effort.wan(), FederationProcess.SITES),
      FarSites::answer),
  /** See {@link TwoSites}. */
  TWO_SITES(
      effort ->
          FederationProcess.start(
              effort.nodes(), effort.wan(), FederationProcess.SITES.subList(0, 2)),
      TwoSites::answer),
  /** See {@link Failure}. */
  FAILURE(Failure::answer),
  /** See {@link Repair}. */
  REPAIR(Repair::answer),
  /** See {@link Drain}. */
  DRAIN(Drain::start, Drain::answer),
  /** See {@link PartGrowth}. */
  GROWTH(PartGrowth::answer),
  /** See {@link RestRatio}. */
  REST_RATIO(RestRatio::answer),
  /** See {@link ObjectStores}. */
  OBJECT_STORES(ObjectStores::answer),
  /** See {@link Counting}. */
  COUNTER(Counting::answer),
  /** See {@link Distinct}. */
  DISTINCT(Distinct::answer),
  /** See {@link CriticalSection}. */
  CRITICAL_SECTION(CriticalSection::answer),
  /** See {@link ReadOnlyCalls}. */
  READ_ONLY(ReadOnlyCalls::answer),
  /** See {@link Insertion}. */
  VERSION_INSERTION(Insertion::answer),
  /** See {@link Storage}. */
  VERSION_STORAGE(Storage::answer),
  /** See {@link Replay}. */
  VERSION_REPLAY(Replay::answer),
  /** See {@link BesideEtcd}. */
  VERSION_ETCD(BesideEtcd::answer),
  /** See {@link Sizes}. */
  VERSION_SIZES(Sizes::answer),
  /** See {@link ConcurrentQueues}. */
  ZOOFENCE_QUEUES(ConcurrentQueues::answer),
  /** See {@link Ledgers}. */
  ZOOFENCE_BOOKKEEPER(Ledgers::answer);

  private final Function<Effort, Answer> whole;
  private final BiFunction<Effort, FederationProcess, Answer> program;

  Question(BiFunction<Effort, FederationProcess, Answer> program) {
    this(effort -> FederationProcess.start(effort.nodes()), program);
  }

  Question(
      Function<Effort, FederationProcess> start,
      BiFunction<Effort, FederationProcess, Answer> program) {
    this.program = program;
    this.whole =
        effort -> {
          try (FederationProcess federation = start.apply(effort)) {
            return program.apply(effort, federation);
          }
        };
  }

  /** One whose program starts federations itself. */
  Question(Function<Effort, Answer> whole) {
    this.program = (effort, federation) -> whole.apply(effort);
    this.whole = whole;
  }

  /** Starts a federation, measures, and stops it. Takes minutes. */
  public Answer answer(Effort effort) {
    return whole.apply(effort);
  }

  /** Measures in {@code federation}, which {@link #ROUND_TRIPS} leaves a site short. */
  Answer answer(Effort effort, FederationProcess federation) {
    return program.apply(effort, federation);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
