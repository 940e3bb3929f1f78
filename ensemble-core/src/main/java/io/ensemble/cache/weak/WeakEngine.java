package io.ensemble.cache.weak;

import io.ensemble.ClockSkewException;
import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteFailureLog;
import io.ensemble.cache.weak.entry.AmendPlan;
import io.ensemble.cache.weak.entry.ConditionalPlan;
import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.cache.weak.entry.StampGenerator;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.entry.UpdatePlan;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.AntiEntropyScheduler;
import io.ensemble.cache.weak.replica.SiteLag;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakRefill;
import io.ensemble.cache.weak.replica.WeakReplica;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.envelope.Envelope;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A WEAK cache: answers come from the nearest site that works, the last writer wins, and all sites
 * become equal.
 *
 * <p>Guarantees. Every value read was written. Writes of one key are ordered by their stamps. A
 * writer's stamps are higher than all stamps that it has read or written through this engine. Once
 * writing ends and every site can be reached, all sites hold the highest stamp of every key.
 * Without faults this holds as soon as the copies have arrived, otherwise after {@link #reconcile}.
 *
 * <p>Not guaranteed. A read may be older than an earlier read, after a site failed. The same may
 * happen for the moment in which an overwritten newer entry is put back. A write that only one site
 * has acknowledged is lost with that site. If this process ends before its copies are made, such a
 * write is delayed until a comparison. {@link #update} is atomic against other updates at the same
 * site only. Two clients with different sites may both find their condition met; the higher stamp
 * stays.
 *
 * <p>Where siblings are kept, every write is a read and a compare-and-set at the first site that
 * can be read. The write overwrites exactly the values shown by that site. Every copy is a read and
 * a compare-and-set as well. An acknowledged write is then lost only by a later write that has seen
 * it, or with its only site, or beyond the bound.
 *
 * <p>Cost in requests: a read 1. A write 1 before its answer, 1 for each further site in the
 * background, and 1 or 2 more at a site with a newer write. An update 2 and the copies. With
 * siblings, each write and each copy 2.
 *
 * <p>Tombstones outlive every write that they must win against as long as clocks agree to within
 * the grace. An entry whose stamp is too far ahead of this process's clock is read as any other. A
 * write that would lose to such an entry fails with {@link ClockSkewException}; a removal removes
 * the entry itself at every site. Thread-safe; stages complete on the scheduler.
 */
public final class WeakEngine implements CacheEngine {

  private static final Logger LOG = LoggerFactory.getLogger(WeakEngine.class);

  private final WeakContext context;
  private final PreferenceList preferenceList;
  private final AntiEntropyScheduler antiEntropyScheduler;
  private final HedgeTimer hedgeTimer;
  private final PendingStages pendingStages = new PendingStages();
  private final SiteFailureLog refillLog;
  private volatile boolean closed;

  /**
   * @param cache the cache's name, for messages
   * @param replicas the sites that hold the cache, each once
   * @param local the index of the site to use first
   * @param clock generates stamps; shared by all caches that this process writes
   * @param writer the identity of this process
   * @throws IllegalArgumentException if there is no replica, or {@code local} is not an index of
   *     one
   */
  public WeakEngine(
      String cache,
      List<WeakReplica> replicas,
      int local,
      Scheduler scheduler,
      HybridClock clock,
      WriterId writer,
      WeakOptions options,
      WeakMetrics metrics) {
    long distinctNames = replicas.stream().map(WeakReplica::site).distinct().count();
    if (replicas.isEmpty() || distinctNames < replicas.size()) {
      throw new IllegalArgumentException(
          "a cache must have one site or more, each listed once; cache="
              + cache
              + " sites="
              + replicas.size());
    }
    if (local < 0 || local >= replicas.size()) {
      throw new IllegalArgumentException(
          "the local site must be one of the sites of the cache; "
              + "cache="
              + cache
              + " index="
              + local);
    }
    SplittableRandom seeds = new SplittableRandom(writer.high() ^ writer.low());
    context =
        new WeakContext(
            cache, scheduler, new StampGenerator(clock, writer), options, metrics, seeds);
    antiEntropyScheduler = new AntiEntropyScheduler(context);
    refillLog = new SiteFailureLog(LOG, "refill", cache);
    hedgeTimer = new HedgeTimer(context);
    preferenceList =
        new PreferenceList(
            replicas.stream()
                .map(
                    replica ->
                        new WeakSite(replica, context, antiEntropyScheduler, this::copyToAll))
                .toList(),
            local);
    antiEntropyScheduler.start(preferenceList.sites());
  }

  /** Sends one request; more when a site fails or takes longer than the hedge. */
  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    checkOpen();
    return hedgedRead(key, deadline, envelope -> Optional.ofNullable(liveValue(envelope)));
  }

  private @Nullable Payload liveValue(@Nullable Envelope envelope) {
    return envelope == null ? null : WeakEntries.live(envelope, context.stamps().nowMicros());
  }

  private <T> CompletionStage<T> hedgedRead(
      Bytes key, Deadline deadline, Function<@Nullable Envelope, T> decoder) {
    return new HedgedRead<>(context, preferenceList.usableFirst(), key, deadline, decoder)
        .run(hedgeTimer);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    checkOpen();
    context.checkSiblings();
    return hedgedRead(
        key,
        deadline,
        envelope -> envelope == null ? Siblings.none() : SiblingCodec.siblings(envelope));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    checkOpen();
    if (context.keepsSiblings()) {
      return run(key, amendPlan(AmendPlan.overwriting(value)), deadline);
    }
    StampedEntry entry = WeakEntries.entry(context.stamps().next(), value);
    CompletionStage<WriteOutcome<Void>> writing =
        this.<Void>createWrite(key, entry, deadline, null).run(hedgeTimer);
    return value != null
        ? writing
        : writing.exceptionallyCompose(
            failure ->
                StageLoops.unwrap(failure) instanceof ClockSkewException
                    ? removeSkewed(key, null, deadline)
                    : CompletableFuture.failedFuture(failure));
  }

  /**
   * Removes the entry itself, because no tombstone of this clock wins against it. Then the removal
   * continues as usual.
   */
  private <R> CompletionStage<WriteOutcome<R>> removeSkewed(
      Bytes key, @Nullable R result, Deadline deadline) {
    return new SkewedEntryRemoval(context, key, context.bounded(deadline))
        .removeFrom(preferenceList.sites())
        .thenCompose(
            failures -> {
              if (!failures.isEmpty()) {
                context.metrics().outcomeUnknown();
                return CompletableFuture.completedFuture(
                    new WriteOutcome.Unknown<>(shortfallOf(failures)));
              }
              Stamp stamp = context.stamps().next();
              LOG.info("removed an entry whose stamp was too far ahead; cache={}", context.cache());
              return context.keepsSiblings()
                  ? CompletableFuture.completedFuture(
                      new WriteOutcome.Applied<>(result, stamp, true))
                  : createWrite(key, WeakEntries.entry(stamp, null), deadline, result)
                      .run(hedgeTimer);
            });
  }

  private QuorumFailure shortfallOf(Map<String, String> failures) {
    Set<String> answeredSites = new TreeSet<>();
    preferenceList.sites().forEach(weakSite -> answeredSites.add(weakSite.name()));
    answeredSites.removeAll(failures.keySet());
    int sites = preferenceList.sites().size();
    return context.shortfall(sites, sites, answeredSites, failures);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    checkOpen();
    return run(
        key,
        context.keepsSiblings()
            ? amendPlan(AmendPlan.updating(update, context.stamps()))
            : new UpdatePlan<>(context.stamps(), update),
        deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    checkOpen();
    context.checkSiblings();
    return run(key, amendPlan(siblingUpdate), deadline);
  }

  private <R> ConditionalPlan<R> amendPlan(SiblingUpdate<Payload, R> siblingUpdate) {
    return new AmendPlan<>(context.stamps(), context.options().siblings(), siblingUpdate);
  }

  private <R> CompletionStage<WriteOutcome<R>> run(
      Bytes key, ConditionalPlan<R> plan, Deadline deadline) {
    Deadline bounded = context.bounded(deadline);
    UpdateRun<R> run =
        new UpdateRun<>(
            context,
            preferenceList.usableFirst(),
            key,
            plan,
            bounded,
            new UpdateRun.Continuation<>() {
              @Override
              public CompletionStage<WriteOutcome<R>> spread(
                  WeakSite home, StampedEntry entry, @Nullable R result) {
                return createWrite(key, entry, deadline, result).runFrom(home, hedgeTimer);
              }

              @Override
              public CompletionStage<WriteOutcome<R>> removeSkewed(@Nullable R result) {
                return WeakEngine.this.removeSkewed(key, result, deadline);
              }
            });
    return pendingStages.track(run.run(), run::close);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return createScan(batchSize, this::liveValue, true);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return createScan(batchSize, this::liveValue, false);
  }

  @Override
  public EntryScan scan(
      int batchSize, Function<Siblings<Payload>, @Nullable Payload> valueSelector) {
    context.checkSiblings();
    return createScan(
        batchSize, envelope -> valueSelector.apply(SiblingCodec.siblings(envelope)), true);
  }

  private EntryScan createScan(
      int batchSize, Function<Envelope, @Nullable Payload> valueSelector, boolean eachKeyOnce) {
    checkOpen();
    if (batchSize <= 0) {
      throw new IllegalArgumentException("a batch must be positive; got=" + batchSize);
    }
    return new WeakScan(
        context,
        preferenceList.usableFirst(),
        batchSize,
        context.seed(),
        pendingStages,
        valueSelector,
        eachKeyOnce);
  }

  /**
   * Compares all sites and makes them equal, as far as they can be reached. The comparison begins
   * after the call; calls during a comparison share the next one. Every site is scanned once, and
   * again where sites differ. Safe to repeat. Fails with {@link IllegalStateException} when the
   * cache is closed.
   */
  public CompletionStage<AntiEntropyReport> reconcile() {
    checkOpen();
    return antiEntropyScheduler.run();
  }

  /**
   * Fills {@code newStore}, the new and empty store of a site that lost its memory, from all other
   * sites. Meanwhile this engine's own writes are copied to the store too, but no call reads from
   * it. After completion with a complete report, the site's {@link WeakReplica} must return {@code
   * fresh}. A comparison then follows automatically, for writes of other processes in the meantime.
   * Safe to repeat.
   *
   * @throws IllegalArgumentException if no replica is called {@code site}
   */
  public CompletionStage<AntiEntropyReport> refill(String site, SiteStore newStore) {
    checkOpen();
    WeakSite filledSite = siteOf(site);
    filledSite.fill(newStore);
    List<WeakSite> sources =
        preferenceList.sites().stream().filter(weakSite -> weakSite != filledSite).toList();
    return pendingStages.failOnClose(
        new WeakRefill(context, newStore, () -> closed)
            .from(sources)
            .whenComplete((report, failure) -> recordRefill(site, report, failure)),
        context.closed());
  }

  private void recordRefill(
      String site, @Nullable AntiEntropyReport report, @Nullable Throwable failure) {
    if (report == null) {
      refillLog.failed(site, StageLoops.unwrap(failure));
      return;
    }
    context.metrics().compared(report);
    if (report.isComplete()) {
      LOG.info("site refilled; cache={} site={} keys={}", context.cache(), site, report.copied());
      refillLog.succeeded(site);
    } else {
      refillLog.failed(site, report.unreachable());
    }
  }

  /** The sites whose last comparison or refill failed. */
  Set<String> failing() {
    Set<String> failing = new TreeSet<>(antiEntropyScheduler.failing());
    failing.addAll(refillLog.failing());
    return failing;
  }

  boolean isFilling(String site) {
    return preferenceList.sites().stream()
        .anyMatch(weakSite -> weakSite.name().equals(site) && weakSite.isFilling());
  }

  /** Abandons a refill that failed: {@code newStore} gets no more copies. */
  void abandonRefill(String site, SiteStore newStore) {
    preferenceList.sites().stream()
        .filter(weakSite -> weakSite.name().equals(site))
        .forEach(weakSite -> weakSite.stopFilling(newStore));
  }

  private WeakSite siteOf(String site) {
    for (WeakSite weakSite : preferenceList.sites()) {
      if (weakSite.name().equals(site)) {
        return weakSite;
      }
    }
    throw new IllegalArgumentException(
        "the site must be one of the sites of the cache; "
            + "cache="
            + context.cache()
            + " site="
            + site);
  }

  /**
   * How far {@code site} may be behind.
   *
   * @throws IllegalArgumentException if no replica has that name
   */
  public SiteLag lag(String site) {
    return siteOf(site).lag();
  }

  /** How far each site may be behind; the local site first. */
  public List<SiteLag> lag() {
    return preferenceList.sites().stream().map(WeakSite::lag).toList();
  }

  /**
   * Waits for the background copies. True once all copies that waited have been made or dropped,
   * false when the deadline comes first.
   */
  public CompletionStage<Boolean> drain(Deadline deadline) {
    CompletableFuture<Boolean> drainResult = new CompletableFuture<>();
    long remainingNanos = Math.max(0, deadline.remainingNanos(context.scheduler()));
    Timer timer = context.later(remainingNanos, () -> drainResult.complete(false));
    StageLoops.all(
            preferenceList.sites().stream().map(weakSite -> weakSite.copier().drained()).toList())
        .thenRun(() -> drainResult.complete(true));
    if (timer == null) {
      drainResult.complete(false);
      return drainResult;
    }
    drainResult.whenComplete((done, failure) -> timer.cancel());
    return pendingStages.track(drainResult, () -> drainResult.complete(false));
  }

  /**
   * Ends everything immediately. Copies that wait are dropped: {@link #drain} first. Operations
   * under way end with the present knowledge. A read fails as unavailable. A write is refused if it
   * was sent to no site; otherwise its outcome is unknown. A comparison, a scan or a refill fails
   * with {@link IllegalStateException}.
   */
  @Override
  public void close() {
    closed = true;
    antiEntropyScheduler.close();
    preferenceList.sites().forEach(WeakSite::close);
    hedgeTimer.close();
    pendingStages.close();
  }

  private <R> ReplicatedWrite<R> createWrite(
      Bytes key, StampedEntry entry, Deadline deadline, @Nullable R result) {
    int needed =
        context.options().ack() == WeakOptions.Ack.MAJORITY ? preferenceList.majority() : 1;
    return new ReplicatedWrite<>(
        context,
        preferenceList.usableFirst(),
        needed,
        this::copyToAll,
        key,
        entry,
        context.bounded(deadline),
        result);
  }

  private void copyToAll(Bytes key, StampedEntry entry) {
    Deadline now = new Deadline(context.scheduler().nanos());
    preferenceList.sites().forEach(weakSite -> weakSite.copier().offer(key, entry, now));
  }

  private void checkOpen() {
    if (closed) {
      throw context.closed();
    }
  }
}
