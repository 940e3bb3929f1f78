package io.ensemble.cache.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteFailureLog;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.StampedUpdate;
import io.ensemble.cache.mwmr.KeyStateCache.CachedCells;
import io.ensemble.cache.mwmr.RegisterExecution.ExecutionResult;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.quorum.QueuedWrite;
import io.ensemble.cache.quorum.QueuedWrite.BatchResult;
import io.ensemble.cache.quorum.QueuedWrite.CallerDecision;
import io.ensemble.cache.quorum.QuorumScan;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.quorum.WriteBatcher;
import io.ensemble.change.KeyMigrationRules;
import io.ensemble.listen.Vote;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Content;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.Stamp;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An MWMR cache: linearizable per key, for reads, writes and any atomic update, while a majority of
 * its sites answers.
 *
 * <p>Expiry is an ordinary write. An operation that finds an expired value replaces it by a
 * tombstone, in the same step as its own decision. So no client with a slower clock sees the value
 * again. A {@link TombstoneSweeper} finds the expired values that no call reads.
 */
public final class MwmrEngine implements CacheEngine, RecoverableEngine, RepairableEngine {

  private static final Logger LOG = LoggerFactory.getLogger(MwmrEngine.class);

  /** A read asks all sites immediately if its patience would be a larger share of its time. */
  private static final int SHARE_OF_PATIENCE = 4;

  /** Reads the whole content of a register. */
  private static final Update<Payload, Content<Payload>> WHOLE_CONTENT =
      new Update<>() {
        @Override
        public Decision<Payload, Content<Payload>> decide(@Nullable Payload current) {
          throw new AssertionError("decides on the whole content");
        }

        @Override
        public Decision<Payload, Content<Payload>> decideOn(Content<Payload> content) {
          return Decision.keep(content);
        }
      };

  private final EngineContext cache;
  private final Quorum quorum;
  private final BallotGenerator ballotGenerator;
  private final RegisterExecution.RegisterContext setting;
  private final KeyStateCache keyStateCache = new KeyStateCache();
  private final PerKeyQueue perKeyQueue;
  private final WriteBatcher<QueuedWrite<?>> batcher;
  private final VersionPrefetcher versionPrefetcher;
  private final AnswerTimes answerTimes;
  private final WaitingCalls waitingCalls;
  private final TombstoneSweeper sweeper;
  private final SiteRepair siteRepair;
  private final SiteFailureLog refillLog;

  private MwmrEngine(EngineContext cache) {
    this.cache = cache;
    quorum = new Quorum(cache.stores().size());
    ballotGenerator = BallotGenerator.separatingKinds(cache.writer(), cache.clock()::after);
    WaitPolicy waitPolicy = new WaitPolicy(cache.writer().low());
    answerTimes = new AnswerTimes(cache.stores().size());
    waitingCalls = new WaitingCalls(cache.scheduler(), waitPolicy);
    MissedKeys missed = new MissedKeys(cache.stores().size());
    setting =
        new RegisterExecution.RegisterContext(
            cache.definition().sites(),
            cache.scheduler(),
            waitPolicy,
            answerTimes,
            waitingCalls,
            missed);
    siteRepair = MwmrRepair.of(cache, missed, this::settleNow);
    perKeyQueue = new PerKeyQueue(cache.scheduler());
    batcher = new WriteBatcher<>(perKeyQueue, cache.scheduler(), this::perform);
    refillLog = new SiteFailureLog(LOG, "refill", cache.definition().name());
    versionPrefetcher = new VersionPrefetcher(cache.scheduler(), keyStateCache, waitPolicy);
    sweeper = new TombstoneSweeper(cache, this::settleNow, this::removeIfExpired);
  }

  /** Opens the engine; sends no request yet. */
  public static MwmrEngine open(EngineContext cache) {
    MwmrEngine engine = new MwmrEngine(cache);
    engine.sweeper.start();
    return engine;
  }

  /**
   * As {@link #open}, without removal of tombstones and expired values until {@link
   * #beginSweeping}.
   */
  public static MwmrEngine openUnswept(EngineContext cache) {
    return new MwmrEngine(cache);
  }

  /** Starts the sweeper of an engine that was opened unswept. To be called once. */
  public void beginSweeping() {
    sweeper.start();
  }

  /** Whether the register alone determines the key's content, by {@link KeyMigrationRules}. */
  public CompletionStage<Boolean> isTaken(Bytes key, Deadline deadline) {
    return call(
            key,
            KeyMigrationRules.STANDARD.<Payload>question(),
            Access.READ,
            boundedDeadline(deadline))
        .thenApply(
            callResult -> {
              findFailure(callResult).ifPresent(this::throwUnavailable);
              return callResult.outcome() instanceof RegisterOutcome.Done<Payload, Boolean> done
                  && Boolean.TRUE.equals(done.result());
            });
  }

  /**
   * Performs one of {@link KeyMigrationRules}. Fails as {@link #read} does; a retry is then safe.
   */
  public CompletionStage<Void> takeOver(
      Bytes key, Update<Payload, Boolean> takeover, Deadline deadline) {
    Deadline limit = boundedDeadline(deadline);
    return perKeyQueue
        .take(
            key,
            limit,
            () -> call(key, takeover, Access.WRITE, limit).thenApply(MwmrEngine::findFailure),
            why -> Optional.of(SiteResponses.notAsked(setting.sites(), why)))
        .thenAccept(failure -> failure.ifPresent(this::throwUnavailable));
  }

  private static Optional<QuorumFailure> findFailure(ExecutionResult<?> callResult) {
    return callResult.outcome() instanceof RegisterOutcome.Done
        ? Optional.empty()
        : Optional.of(callResult.answers().shortfall());
  }

  private void throwUnavailable(QuorumFailure why) {
    throw new QuorumUnavailableException(cache.definition().name(), why);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return call(key, Update.read(), Access.READ, boundedDeadline(deadline))
        .thenCompose(
            callResult -> {
              findFailure(callResult).ifPresent(this::throwUnavailable);
              Payload value =
                  callResult.outcome() instanceof RegisterOutcome.Done<Payload, Payload> done
                      ? done.result()
                      : null;
              return value == null || !hasExpired(value)
                  ? CompletableFuture.completedFuture(Optional.ofNullable(value))
                  : expire(key, deadline);
            });
  }

  /**
   * No operation outlives the shortest life of a tombstone; otherwise the removal of a tombstone
   * could undo it.
   */
  private Deadline boundedDeadline(Deadline deadline) {
    Deadline longest = Deadline.after(CacheDefinition.MAX_DEADLINE, cache.scheduler());
    return deadline.atNanos() - longest.atNanos() > 0 ? longest : deadline;
  }

  /** Ends an expired value; returns the content at the time of that decision. */
  private CompletionStage<Optional<Payload>> expire(Bytes key, Deadline deadline) {
    return this.<Payload>update(key, Decision::keep, deadline)
        .thenApply(
            outcome -> {
              if (outcome instanceof WriteOutcome.Applied<Payload> applied) {
                return Optional.ofNullable(applied.result());
              }
              // The outcome is unknown as well: a process with a slower clock may still find the
              // value.
              QuorumFailure why =
                  outcome instanceof WriteOutcome.Unknown<Payload> unknown
                      ? unknown.why()
                      : ((WriteOutcome.Refused<Payload>) outcome).why();
              throw new QuorumUnavailableException(cache.definition().name(), why);
            });
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return update(key, current -> Decision.write(value, null), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return enqueue(
        key, StampedUpdate.of(cache, ignoreExpired(update)), update.expectsNextWrite(), deadline);
  }

  private <R> CompletionStage<WriteOutcome<R>> enqueue(
      Bytes key,
      Update<Payload, CallerDecision<R>> update,
      boolean expectsNextWrite,
      Deadline deadline) {
    QueuedWrite<R> write =
        new QueuedWrite<>(
            update,
            boundedDeadline(deadline),
            why -> SiteResponses.notAsked(setting.sites(), why),
            expectsNextWrite);
    batcher.add(key, write);
    return write.answer();
  }

  private CompletionStage<Consumer<QueuedWrite<?>>> perform(
      Bytes key, List<QueuedWrite<?>> writes, Deadline deadline) {
    Access access =
        writes.stream().anyMatch(QueuedWrite::expectsNextWrite)
            ? Access.REPEATED_WRITE
            : Access.WRITE;
    return versionPrefetcher
        .awaitVersions(key)
        .thenCompose(done -> call(key, QueuedWrite.inTurn(writes), access, deadline))
        .thenApply(
            callResult -> {
              WriteOutcome<BatchResult> outcome = outcome(callResult);
              return write -> write.complete(outcome);
            });
  }

  private static WriteOutcome<BatchResult> outcome(ExecutionResult<BatchResult> callResult) {
    if (callResult.outcome() instanceof RegisterOutcome.Done<Payload, BatchResult> done) {
      // Not the ballot in which it was chosen: streams of changes show the first one.
      Stamp stamp = new Stamp(done.proposal().round(), done.proposal().writer());
      return new WriteOutcome.Applied<>(done.result(), stamp, done.wrote());
    }
    QuorumFailure why = callResult.answers().shortfall();
    return callResult.outcome() instanceof RegisterOutcome.Refused
        ? new WriteOutcome.Refused<>(why)
        : new WriteOutcome.Unknown<>(why);
  }

  /** An expired value counts as absent, and is replaced by a tombstone. */
  private <R> Update<Payload, CallerDecision<R>> ignoreExpired(Update<Payload, R> update) {
    return current -> {
      boolean isExpired = current != null && hasExpired(current);
      Decision<Payload, R> decision = update.decide(isExpired ? null : current);
      CallerDecision<R> callerDecision = new CallerDecision<>(decision.result(), decision.writes());
      return isExpired || decision.writes()
          ? Decision.write(decision.value(), callerDecision)
          : Decision.keep(callerDecision);
    };
  }

  /** Ends the value if it has expired; returns whether this call ended it. */
  private CompletionStage<Boolean> removeIfExpired(Bytes key, Deadline deadline) {
    Update<Payload, CallerDecision<Boolean>> removal =
        current ->
            current != null && hasExpired(current)
                ? Decision.write(null, new CallerDecision<>(true, true))
                : Decision.keep(new CallerDecision<>(false, false));
    return enqueue(key, removal, false, deadline)
        .thenApply(
            outcome ->
                outcome instanceof WriteOutcome.Applied<Boolean> applied
                    && Boolean.TRUE.equals(applied.result()));
  }

  private boolean hasExpired(Payload payload) {
    return payload.isOver(cache.clock().physicalMicros());
  }

  /** What a call does, as far as is known in advance. */
  private enum Access {
    READ,
    WRITE,
    /** The caller knows the present value, and will probably replace the one that it writes. */
    REPEATED_WRITE
  }

  private <R> CompletionStage<ExecutionResult<R>> call(
      Bytes key, Update<Payload, R> update, Access access, Deadline deadline) {
    boolean mayWrite = access != Access.READ;
    boolean isRepeated = access == Access.REPEATED_WRITE;
    StoreSet storeSet = StoreSet.of(cache.stores(), deadline);
    Optional<PreparedBallot> prepared =
        mayWrite
            ? keyStateCache.takePrepared(key, storeSet, cache.clock().physicalMicros())
            : Optional.empty();
    RegisterOperation<Payload, R> operation =
        RegisterOperation.of(
            quorum,
            ballotGenerator,
            update,
            keyStateCache.chosen(key),
            prepared,
            RivalPolicy.DEFAULT);
    Optional<CachedCells> knownCells =
        mayWrite
            ? keyStateCache
                .takeCells(key)
                .filter(cells -> isRepeated || cells.isFresh(cache.scheduler().nanos()))
                .filter(cells -> cells.replicas().isSameAs(storeSet))
            : Optional.empty();
    VersionReads versionReads =
        isRepeated || mayWrite && versionPrefetcher.expectsWriteAfterNext(key)
            ? new VersionReads(storeSet.size())
            : null;
    RegisterExecution<R> execution =
        new RegisterExecution<>(setting, key, operation, storeSet, deadline, versionReads);
    CompletionStage<ExecutionResult<R>> completion;
    if (knownCells.isPresent()) {
      completion = execution.start(() -> operation.startFrom(knownCells.get().cells()));
    } else {
      BitSet nearest = mayWrite ? null : nearestMajority(key, deadline);
      completion =
          nearest == null
              ? execution.start(operation::start)
              : execution.startAt(nearest, operation::start);
    }
    return completion.thenApply(
        callResult -> {
          learn(key, callResult, storeSet, versionReads);
          return callResult;
        });
  }

  /**
   * The majority that a read asks first. Null if the read asks all sites: a majority would probably
   * not suffice, or the time to ask the others would be too short.
   */
  private @Nullable BitSet nearestMajority(Bytes key, Deadline deadline) {
    if (quorum.majority() == quorum.sites()
        || !keyStateCache.isSteady(key)
        || answerTimes.isFullReadDue()) {
      return null;
    }
    BitSet nearest = answerTimes.nearestMajority();
    long remainingNanos = deadline.remainingNanos(cache.scheduler());
    return remainingNanos / SHARE_OF_PATIENCE >= answerTimes.patienceNanos(nearest)
        ? nearest
        : null;
  }

  private <R> void learn(
      Bytes key,
      ExecutionResult<R> callResult,
      StoreSet storeSet,
      @Nullable VersionReads versionReads) {
    callResult
        .prepared()
        .ifPresent(prepared -> keyStateCache.recordPrepared(key, prepared, storeSet));
    if (callResult.outcome() instanceof RegisterOutcome.Done<Payload, R> done) {
      cache.metrics().roundTrips(done.wrote() ? "write" : "read", callResult.roundTrips());
      boolean isOwn = done.wrote() && done.ballot().writer().equals(cache.writer());
      keyStateCache.recordChosen(key, done.ballot(), isOwn);
      callResult
          .shownCells()
          .ifPresent(cells -> versionPrefetcher.recordRead(key, cells, storeSet));
      if (isOwn) {
        versionPrefetcher.recordWrite(key, done.cell(), storeSet, versionReads);
      }
    }
  }

  @Override
  public Optional<ChangeSource> changes() {
    return Optional.of(
        new ChangeSource(
            0,
            cache.stores(),
            quorum.sites() - quorum.majority() + 1,
            quorum.sites() - quorum.majority() + 1,
            true,
            sweeper.retainedMicros(),
            stored -> Vote.of(CellCodec.decode(stored), quorum),
            this::readContent,
            ChangeSource.unconditional()));
  }

  /** Reads a key's content, expired or not; makes it chosen if necessary. */
  private CompletionStage<Content<Payload>> readContent(Bytes key, Deadline deadline) {
    return call(key, WHOLE_CONTENT, Access.READ, boundedDeadline(deadline))
        .thenApply(
            callResult -> {
              findFailure(callResult).ifPresent(this::throwUnavailable);
              return Objects.requireNonNull(
                  ((RegisterOutcome.Done<Payload, Content<Payload>>) callResult.outcome())
                      .result());
            });
  }

  @Override
  public EntryScan scan(int batchSize) {
    return new QuorumScan(this, cache, batchSize);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return QuorumScan.ofKeys(this, cache, batchSize);
  }

  @Override
  public CompletionStage<Long> refill(String site, SiteStore newStore, Deadline deadline) {
    return refill(site, newStore, deadline, MwmrRefill.WAIT_NANOS, MwmrRefill.MOST_RECORDED_KEYS);
  }

  CompletionStage<Long> refill(
      String site, SiteStore newStore, Deadline deadline, long waitNanos, int mostRecordedKeys) {
    return new MwmrRefill(
            cache, site, newStore, key -> settle(key, site, deadline), deadline, mostRecordedKeys)
        .run(waitNanos)
        .whenComplete(
            (keys, failure) -> {
              if (failure == null) {
                String name = cache.definition().name();
                LOG.info("site refilled; cache={} site={} keys={}", name, site, keys);
                refillLog.succeeded(site);
              } else {
                refillLog.failed(site, CompletionCause.of(failure));
              }
            });
  }

  /** The sites whose last refill or sweep failed. */
  Set<String> failing() {
    Set<String> failing = new TreeSet<>(refillLog.failing());
    failing.addAll(sweeper.failing());
    return failing;
  }

  @Override
  public SiteRepair siteRepair() {
    return siteRepair;
  }

  /** Settles a key among all sites. */
  private CompletionStage<ExecutionResult<Payload>> settleNow(Bytes key) {
    return settle(key, "", Deadline.after(cache.definition().deadline(), cache.scheduler()));
  }

  /** Settles a key among all sites except {@code excludedSite}. */
  private CompletionStage<ExecutionResult<Payload>> settle(
      Bytes key, String excludedSite, Deadline deadline) {
    RegisterOperation<Payload, Payload> operation =
        RegisterOperation.settle(quorum, ballotGenerator);
    StoreSet storeSet = StoreSet.without(excludedSite, cache.stores(), deadline);
    return new RegisterExecution<>(
            setting, key, operation, storeSet, deadline, excludedSite.isEmpty(), null)
        .start(operation::start);
  }

  /**
   * Replaces expired values by tombstones. Removes tombstones that every site has and that are
   * older than the cache's grace.
   */
  public CompletionStage<SweepResult> sweep(Deadline deadline) {
    return sweeper.sweep(deadline);
  }

  /** How many keys have a writer under way. */
  int busyKeys() {
    return perKeyQueue.size();
  }

  /** How many calls wait for a timer rather than for a response. */
  int waiting() {
    return waitingCalls.size();
  }

  @Override
  public void close() {
    sweeper.close();
    versionPrefetcher.close();
    perKeyQueue.close();
    waitingCalls.close();
  }
}
