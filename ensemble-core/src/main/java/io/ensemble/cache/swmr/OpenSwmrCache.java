package io.ensemble.cache.swmr;

import io.ensemble.CacheDefinition;
import io.ensemble.InDoubtWrites;
import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.DrainableEngine;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.PromotableEngine;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.swmr.copy.CopyRefill;
import io.ensemble.cache.swmr.copy.CopyStore;
import io.ensemble.cache.swmr.copy.PartialStoreHandle;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.cache.swmr.copy.SwmrRepair;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.primary.VoterSet;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An SWMR cache on its stores: a {@link SwmrEngine} on the copies, and the register of its terms,
 * which the same stores hold. So a cache's terms are created, recovered and deleted with the cache.
 * The cache works while a majority of its voters answers.
 */
public final class OpenSwmrCache
    implements CacheEngine,
        RecoverableEngine,
        DrainableEngine,
        PromotableEngine,
        WindowedEngine,
        DynamicQuorumEngine,
        RepairableEngine {

  /**
   * The same for every process that ever opens a cache: a process that takes over waits until the
   * leases of others have expired.
   */
  static final TermLeaseRules LEASES = new TermLeaseRules(2_000_000_000L, 200_000_000L);

  /** Longer than a call on the record of an ended voter set may last. */
  private static final long LONGEST_CALL_NANOS = 2 * LEASES.outwaitNanos();

  private static final Logger LOG = LoggerFactory.getLogger(OpenSwmrCache.class);

  private final EngineContext cache;
  private final EngineContext copiesContext;
  private final VoterSetEnd voterSetEnd;

  /** The register of the terms of the present voter set. */
  private volatile MwmrEngine register;

  private final AtomicInteger openRegisters = new AtomicInteger();

  private final SwmrEngine engine;
  private final PrimaryTransfer primaryTransfer;
  private final CopySweeper sweeper;
  private final SiteRepair siteRepair;
  private final DeadlineRetry deadlineRetry;
  private volatile Runnable endListener = () -> {};

  private OpenSwmrCache(EngineContext cache, TermLeaseRules termLeaseRules, Duration tombstoneAge) {
    this.cache = cache;
    CacheDefinition definition = cache.definition();
    copiesContext =
        new EngineContext(
            definition,
            PartialStoreHandle.of(cache.stores(), CopyStore::new),
            cache.localSite(),
            cache.scheduler(),
            cache.clock(),
            cache.writer(),
            cache.metrics());
    voterSetEnd = new VoterSetEnd(copiesContext);
    register = openRegister(VoterSet.first(definition.sites()));
    engine = SwmrEngine.open(copiesContext, register, SwmrKeyLayout.RECORD, termLeaseRules);
    primaryTransfer = new PrimaryTransfer(copiesContext, engine.termRecord(), engine.writerLease());
    deadlineRetry = new DeadlineRetry(cache.scheduler(), () -> false);
    sweeper =
        new CopySweeper(
            copiesContext, engine.termRecord(), engine.perKeyQueue(), engine, tombstoneAge);
    siteRepair =
        SwmrRepair.of(
            copiesContext, engine.termRecord().voterSets().missed(), engine, this::isWriter);
  }

  /** Opens the engine; sends no request yet. */
  public static OpenSwmrCache open(EngineContext cache) {
    return open(cache, LEASES);
  }

  static OpenSwmrCache open(EngineContext cache, TermLeaseRules termLeaseRules) {
    OpenSwmrCache openCache = new OpenSwmrCache(cache, termLeaseRules, CopySweeper.LEAST_AGE);
    openCache.sweeper.start();
    return openCache;
  }

  /** The same, but only {@link #sweep} removes keys, after {@code age}. */
  static OpenSwmrCache openWithoutSweeper(EngineContext cache, Duration age) {
    return new OpenSwmrCache(cache, LEASES, age);
  }

  private MwmrEngine openRegister(VoterSet voterSet) {
    EngineContext restrictedContext = VoterSets.restrictContext(cache, voterSet);
    CacheDefinition definition = restrictedContext.definition();
    Bytes record = SwmrKeyLayout.record(voterSet.number());
    openRegisters.incrementAndGet();
    return MwmrEngine.openUnswept(
        new EngineContext(
            CacheDefinition.of(definition.name(), Mode.MWMR).sites(definition.sites()).build(),
            PartialStoreHandle.of(
                restrictedContext.stores(),
                store -> new TermStore(store.prioritized(), record, this::notifyRecordEnded)),
            restrictedContext.localSite(),
            restrictedContext.scheduler(),
            restrictedContext.clock(),
            restrictedContext.writer(),
            CacheMetrics.NONE));
  }

  private void notifyRecordEnded() {
    endListener.run();
  }

  @Override
  public void whenOver(Runnable listener) {
    endListener = listener;
  }

  @Override
  public synchronized void follow(VoterSet voterSet, Runnable renew) {
    TermRecord termRecord = engine.termRecord();
    if (voterSet.number() <= termRecord.voterSets().latestVoterSet().number()) {
      renew.run();
      return;
    }
    MwmrEngine formerRegister = register;
    MwmrEngine next = openRegister(voterSet);
    termRecord.follow(
        new TermRecord.TermLocation(voterSet, next, SwmrKeyLayout.record(voterSet.number())),
        renew);
    register = next;
    scheduleClose(formerRegister);
    LOG.info(
        "voter set changed; cache={} number={} sites={} epoch={}",
        copiesContext.definition().name(),
        voterSet.number(),
        voterSet.sites(),
        voterSet.epoch());
  }

  /** Calls under way end by their deadlines, and no further call begins. */
  private void scheduleClose(MwmrEngine formerRegister) {
    try {
      copiesContext.scheduler().after(LONGEST_CALL_NANOS, () -> close(formerRegister));
    } catch (RejectedExecutionException rejection) {
      close(formerRegister);
    }
  }

  private void close(MwmrEngine formerRegister) {
    formerRegister.close();
    openRegisters.decrementAndGet();
  }

  /** How many registers of terms are open. */
  int registers() {
    return openRegisters.get();
  }

  @Override
  public CompletionStage<VoterSet> end(
      VoterSet voterSet, SiteStore store, List<String> nextSites, Deadline deadline) {
    return voterSetEnd.endAt(voterSet, store, nextSites, deadline);
  }

  @Override
  public CompletionStage<Boolean> hasEnded(VoterSet voterSet, SiteStore store, Deadline deadline) {
    return VoterSetEnd.readHasEnded(voterSet.number(), store, deadline);
  }

  @Override
  public CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline) {
    return VoterSetEnd.readHasRecord(number, store, deadline);
  }

  @Override
  public CompletionStage<Void> fill(Deadline deadline) {
    return primaryTransfer.awaitFilled(deadline).thenAccept(term -> {});
  }

  @Override
  public CompletionStage<Long> filled(String site, Deadline deadline) {
    return primaryTransfer
        .awaitFilled(deadline)
        .thenCompose(term -> voterSetEnd.count(site, deadline));
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return engine.read(key, deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return engine.write(key, value, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return engine.update(key, update, deadline);
  }

  @Override
  public Optional<ChangeSource> changes() {
    return engine.changes();
  }

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return engine.scanKeys(batchSize);
  }

  @Override
  public CompletionStage<PrimaryTerm> term(Deadline deadline) {
    CompletionStage<Optional<LeasedTerm>> latestTerm =
        engine.termRecord().readLatest().thenApply(Optional::of);
    return deadlineRetry
        .awaitWithin(deadline, latestTerm, Optional.empty())
        .thenApply(
            leasedTerm ->
                toPrimaryTerm(leasedTerm.orElseThrow(TermRecord.NotKnownException::new).term()))
        .exceptionallyCompose(failure -> failWith(failure, QuorumUnavailableException::new));
  }

  /** The last known term, without a request; empty before a term is known. */
  Optional<Term> known() {
    return engine.term();
  }

  @Override
  public CompletionStage<PrimaryTerm> promote(String site, Deadline deadline) {
    return primaryTransfer.to(site, deadline).thenApply(OpenSwmrCache::toPrimaryTerm);
  }

  @Override
  public CompletionStage<Void> resign() {
    return engine
        .writerLease()
        .resign()
        .exceptionallyCompose(failure -> failWith(failure, UnknownOutcomeException::new));
  }

  private <T> CompletionStage<T> failWith(
      Throwable failure, BiFunction<String, QuorumFailure, Throwable> exceptionFactory) {
    CacheDefinition definition = engine.termRecord().voterSets().latestContext().definition();
    return CompletableFuture.failedFuture(
        CompletionCause.of(failure) instanceof TermRecord.NotKnownException exception
            ? exceptionFactory.apply(
                definition.name(),
                SiteResponses.notAsked(definition.sites(), String.valueOf(exception.getMessage())))
            : CompletionCause.of(failure));
  }

  private static PrimaryTerm toPrimaryTerm(Term term) {
    Optional<WriterId> writer = Optional.of(term.writer()).filter(id -> !id.equals(WriterId.NONE));
    return new PrimaryTerm(term.epoch(), term.primary(), writer, term.active(), term.isWhole());
  }

  /**
   * Begins a term that depends on no content of the site, waits until every key is recovered into
   * that term, and copies. Then the record of terms is refilled as any register is.
   */
  @Override
  public CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline) {
    CacheDefinition definition = copiesContext.definition();
    if (definition.sites().size() <= 2) { // The other sites are no majority.
      return CompletableFuture.failedFuture(
          new QuorumUnavailableException(
              definition.name(),
              SiteResponses.notAsked(
                  definition.sites(),
                  "no other voter is left that could refill %s".formatted(site))));
    }
    return primaryTransfer
        .without(site, deadline)
        .thenCompose(
            term -> new CopyRefill(copiesContext, new CopyStore(fresh), term, deadline).run())
        .thenCompose(
            keys ->
                register
                    .refill(site, new TermStore(fresh, SwmrKeyLayout.RECORD, () -> {}), deadline)
                    .thenApply(
                        records -> {
                          String name = copiesContext.definition().name();
                          LOG.info("copies refilled; cache={} site={} keys={}", name, site, keys);
                          return keys;
                        }));
  }

  private boolean isWriter() {
    return engine
        .termRecord()
        .last()
        .map(LeasedTerm::term)
        .filter(engine.termRecord()::isOwn)
        .isPresent();
  }

  @Override
  public SiteRepair siteRepair() {
    return siteRepair;
  }

  @Override
  public State window() {
    return engine.window();
  }

  @Override
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    return engine.listen(listener);
  }

  /**
   * Ends expired values and removes the entries of removed keys, if this process is the writer;
   * returns how many keys were removed. The engine also sweeps periodically.
   */
  public CompletionStage<Integer> sweep(Deadline deadline) {
    return sweeper.sweep(deadline);
  }

  /**
   * Waits until a majority holds the writes that the primary alone acknowledged. Then releases the
   * writer lease, if this process holds it, so that another process need not wait. The last quarter
   * of the time is reserved for the release, however many copies are left.
   */
  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    long remainingNanos = Math.max(0, deadline.remainingNanos(copiesContext.scheduler()));
    CompletionStage<Boolean> released =
        engine
            .drain(new Deadline(deadline.atNanos() - remainingNanos / 4))
            .thenCompose(copied -> engine.writerLease().release().thenApply(done -> copied))
            .exceptionally(failure -> false);
    return deadlineRetry.awaitWithin(deadline, released, false);
  }

  @Override
  public void close() {
    sweeper.close();
    engine.close();
    register.close();
  }
}
