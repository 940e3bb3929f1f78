package io.ensemble.cache.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.CopyWindow;
import io.ensemble.InDoubtWrites;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.DrainableEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StampedUpdate;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.quorum.QueuedWrite;
import io.ensemble.cache.quorum.QueuedWrite.BatchResult;
import io.ensemble.cache.quorum.QueuedWrite.CallerDecision;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.WriteBatcher;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.cache.swmr.copy.KeyCall.KeyCallResult;
import io.ensemble.cache.swmr.copy.KeyRecovery;
import io.ensemble.cache.swmr.window.WindowSlot;
import io.ensemble.listen.Vote;
import io.ensemble.primary.Copy;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.primary.VoterSet;
import io.ensemble.register.Content;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cache with a primary copy and one writer at a time. A majority holds each write before any
 * reader sees it. Linearizable per key while clocks drift less than the leases allow for.
 *
 * <p>Reads ask the primary, one round trip, under a lease that is renewed in the background. The
 * first writing process becomes the writer, until it closes the cache or falls silent. A write of
 * another process fails with {@link io.ensemble.WriterPresentException}. When the primary has been
 * silent for a lease, any process that detects this moves the primary, if there are three sites or
 * more. For the time of two leases and the drift, nothing is then read or written.
 *
 * <p>The reader's clock decides whether a value has expired; a {@link CopySweeper} finally ends the
 * value.
 */
public final class SwmrEngine implements CacheEngine, DrainableEngine, WindowedEngine {

  private final EngineContext cache;
  private final Scheduler scheduler;
  private final TermLeaseRules termLeaseRules;
  private final TermRecord termRecord;
  private final WriterLease writerLease;
  private final PerKeyQueue perKeyQueue;
  private final WriteBatcher<QueuedWrite<?>> batcher;
  private final SequenceGenerator sequenceGenerator;

  private final KeysToFence keysToFence = new KeysToFence();

  /** Present where the primary alone acknowledges. */
  private final Optional<AsyncReplication> asyncReplication;

  private final DeadlineRetry deadlineRetry;
  private final KeyOperations keyOperations;
  private volatile boolean closed;

  private SwmrEngine(
      EngineContext cache,
      CacheEngine control,
      Bytes record,
      TermLeaseRules termLeaseRules,
      Optional<CopyWindow> window) {
    this.cache = cache;
    this.scheduler = cache.scheduler();
    this.termLeaseRules = termLeaseRules;
    termRecord = new TermRecord(control, record, cache, termLeaseRules);
    writerLease =
        new WriterLease(cache, termRecord, termLeaseRules, window.isPresent(), this::recoverAll);
    perKeyQueue = new PerKeyQueue(scheduler);
    batcher = new WriteBatcher<>(perKeyQueue, scheduler, this::perform);
    sequenceGenerator = new SequenceGenerator(cache.writer(), cache.clock()::after);
    deadlineRetry = new DeadlineRetry(scheduler, () -> closed);
    keyOperations =
        new KeyOperations(termRecord, window.isEmpty(), writerLease.primary()::recordResponse);
    asyncReplication =
        window.map(
            copyWindow ->
                new AsyncReplication(
                    cache,
                    writerLease,
                    termLeaseRules,
                    perKeyQueue,
                    sequenceGenerator,
                    keysToFence,
                    copyWindow));
  }

  /**
   * Opens the engine; sends no request yet.
   *
   * @param control an MWMR cache, open as long as this engine
   * @param record the key of this cache's record there; each birth of the cache needs another key
   */
  public static SwmrEngine open(
      EngineContext cache, CacheEngine control, Bytes record, TermLeaseRules termLeaseRules) {
    boolean isPrimaryAcknowledged = cache.definition().acknowledgement() == Acknowledgement.PRIMARY;
    return open(
        cache,
        control,
        record,
        termLeaseRules,
        isPrimaryAcknowledged ? Optional.of(cache.definition().window()) : Optional.empty());
  }

  /**
   * The same with {@code window} instead of the definition's acknowledgement.
   *
   * @param window for writes that the primary alone acknowledges; empty when a majority does
   */
  public static SwmrEngine open(
      EngineContext cache,
      CacheEngine control,
      Bytes record,
      TermLeaseRules termLeaseRules,
      Optional<CopyWindow> window) {
    return new SwmrEngine(cache, control, record, termLeaseRules, window);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return readCopy(key, deadline)
        .thenApply(
            copy -> Optional.ofNullable(copy.value()).filter(payload -> !isExpired(payload)));
  }

  private CompletionStage<Copy<Payload>> readCopy(Bytes key, Deadline deadline) {
    AtomicReference<@Nullable QuorumFailure> lastFailure = new AtomicReference<>();
    return deadlineRetry.retryUntilDone(
        deadline,
        () ->
            deadlineRetry
                .awaitWithin(deadline, writerLease.findLeasedTerm(), Optional.<LeasedTerm>empty())
                .thenCompose(
                    leasedTerm ->
                        leasedTerm.isEmpty()
                            ? DeadlineRetry.emptyResult()
                            : readOnce(key, leasedTerm.get(), deadline, lastFailure)),
        () -> CompletableFuture.failedFuture(unavailable(lastFailure.get())));
  }

  private CompletionStage<Optional<Copy<Payload>>> readOnce(
      Bytes key,
      LeasedTerm leasedTerm,
      Deadline deadline,
      AtomicReference<@Nullable QuorumFailure> lastFailure) {
    PrimaryOperation<Payload, Payload> operation =
        PrimaryOperation.read(keyOperations.contextOf(leasedTerm.term()));
    return keyOperations
        .call(
            key,
            leasedTerm.term(),
            operation,
            deadlineRetry.earlierOf(deadline, termLeaseRules.leaseNanos() / 2))
        .thenCompose(
            callResult ->
                checkLease(leasedTerm.term(), callResult, termLeaseRules::mayAnswer, deadline)
                    .thenApply(
                        isLeaseValid -> {
                          callResult.throwIfBroken();
                          lastFailure.set(callResult.answers());
                          if (isLeaseValid
                              && callResult.outcome()
                                  instanceof PrimaryOutcome.Done<Payload, Payload> done) {
                            cache.metrics().roundTrips("read", callResult.roundTrips());
                            return Optional.of(done.copy());
                          }
                          refreshIfSuperseded(callResult.outcome());
                          return Optional.empty();
                        }));
  }

  /** Whether {@code term} still lasted when {@code callResult} was available. */
  private CompletionStage<Boolean> checkLease(
      Term term,
      KeyCallResult<?> callResult,
      BiPredicate<LeasedTerm, Long> rule,
      Deadline deadline) {
    return callResult.outcome() instanceof PrimaryOutcome.Done
        ? deadlineRetry.awaitWithin(deadline, termRecord.checkStillAllowed(term, rule), false)
        : CompletableFuture.completedFuture(false);
  }

  private void refreshIfSuperseded(PrimaryOutcome<Payload, ?> outcome) {
    if (outcome instanceof PrimaryOutcome.Superseded) {
      termRecord.readLatest().exceptionally(failure -> null);
    }
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return update(key, current -> Decision.write(value, null), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    QueuedWrite<R> write =
        new QueuedWrite<>(StampedUpdate.of(cache, ignoreExpired(update)), deadline, this::notAsked);
    if (asyncReplication.isEmpty()) {
      batcher.add(key, write);
    } else {
      performAlone(key, write);
    }
    return write.answer().thenCompose(writerLease::failIfWriterPresent);
  }

  /** An expired value counts as absent. */
  private <R> Update<Payload, CallerDecision<R>> ignoreExpired(Update<Payload, R> update) {
    return current -> {
      Decision<Payload, R> decision =
          update.decide(current != null && isExpired(current) ? null : current);
      return new Decision<>(
          decision.writes(),
          decision.value(),
          new CallerDecision<>(decision.result(), decision.writes()));
    };
  }

  /** Not batched, if the primary is asked first: the window bounds how many writes may be lost. */
  private void performAlone(Bytes key, QueuedWrite<?> write) {
    perKeyQueue
        .<WriteOutcome<BatchResult>>take(
            key,
            write.deadline(),
            () -> updateInTurn(key, QueuedWrite.inTurn(List.of(write)), write.deadline()),
            why -> new WriteOutcome.Refused<>(notAsked(why)))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                write.complete(outcome);
              } else {
                write.failed(CompletionCause.of(failure));
              }
            });
  }

  private CompletionStage<Consumer<QueuedWrite<?>>> perform(
      Bytes key, List<QueuedWrite<?>> writes, Deadline deadline) {
    return updateInTurn(key, QueuedWrite.inTurn(writes), deadline)
        .thenApply(outcome -> write -> write.complete(outcome));
  }

  private <R> CompletionStage<WriteOutcome<R>> updateInTurn(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return asyncReplication.isEmpty()
        ? updateInPlace(key, update, deadline, Optional.empty())
        : asyncReplication
            .get()
            .runInWindow(
                deadline,
                slot -> updateInPlace(key, update, deadline, Optional.of(slot)),
                () -> new WriteOutcome.Refused<>(notAsked("the window of copies is full")));
  }

  private <R> CompletionStage<WriteOutcome<R>> updateInPlace(
      Bytes key, Update<Payload, R> update, Deadline deadline, Optional<WindowSlot> slot) {
    AtomicReference<@Nullable QuorumFailure> lastFailure = new AtomicReference<>();
    return deadlineRetry.retryUntilDone(
        deadline,
        () ->
            deadlineRetry
                .awaitWithin(deadline, writerLease.acquireLease(), Optional.<LeasedTerm>empty())
                .thenCompose(
                    leasedTerm ->
                        leasedTerm.isEmpty()
                            ? DeadlineRetry.emptyResult()
                            : updateOnce(
                                key, update, leasedTerm.get().term(), deadline, lastFailure, slot)),
        () ->
            CompletableFuture.completedFuture(
                new WriteOutcome.Refused<>(failureOrDefault(lastFailure.get()))));
  }

  private <R> CompletionStage<Optional<WriteOutcome<R>>> updateOnce(
      Bytes key,
      Update<Payload, R> update,
      Term term,
      Deadline deadline,
      AtomicReference<@Nullable QuorumFailure> lastFailure,
      Optional<WindowSlot> slot) {
    if (!keysToFence.admits(key, term)) {
      return asyncReplication.isEmpty()
          ? writerLease.beginNewTerm(term).thenApply(begun -> Optional.empty())
          : CompletableFuture.completedFuture(
              Optional.of(
                  new WriteOutcome.Refused<>(notAsked("too many writes with unknown outcome"))));
    }
    CompletionStage<KeyCallResult<R>> call =
        keysToFence.contains(key, term)
            ? keyOperations.call(
                key,
                term,
                PrimaryOperation.fencedWrite(
                    keyOperations.contextOf(term), update, sequenceGenerator),
                deadline)
            : keyOperations.write(key, term, update, sequenceGenerator, deadline);
    return call.thenCompose(
        callResult ->
            checkLease(term, callResult, termLeaseRules::mayAcknowledge, deadline)
                .thenApply(
                    isLeaseValid -> {
                      lastFailure.set(callResult.answers());
                      Optional<WriteOutcome<R>> outcome =
                          outcome(key, term, callResult, slot, isLeaseValid);
                      callResult.throwIfBroken();
                      return outcome;
                    }));
  }

  private <R> Optional<WriteOutcome<R>> outcome(
      Bytes key,
      Term term,
      KeyCallResult<R> callResult,
      Optional<WindowSlot> slot,
      boolean isLeaseValid) {
    if (callResult.outcome() instanceof PrimaryOutcome.Done<Payload, R> done) {
      keysToFence.remove(key);
      if (done.wrote() && slot.isPresent()) {
        asyncReplication
            .orElseThrow()
            .recordWrite(slot.get(), key, term, done.copy(), callResult.replaced(), isLeaseValid);
      }
      if (isLeaseValid) {
        cache.metrics().roundTrips(done.wrote() ? "write" : "read", callResult.roundTrips());
        return Optional.of(
            new WriteOutcome.Applied<>(done.result(), done.copy().origin(), done.wrote()));
      }
      return done.wrote()
          ? Optional.of(new WriteOutcome.Unknown<>(callResult.answers()))
          : Optional.empty();
    }
    if (callResult.outcome() instanceof PrimaryOutcome.Unknown) {
      keysToFence.add(key, term);
      asyncReplication.ifPresent(
          replication -> replication.recordUnknownWrite(key, term, callResult));
      return Optional.of(new WriteOutcome.Unknown<>(callResult.answers()));
    }
    refreshIfSuperseded(callResult.outcome());
    return Optional.empty();
  }

  private QuorumFailure failureOrDefault(@Nullable QuorumFailure failure) {
    return failure != null ? failure : notAsked("no leased term was obtained in time");
  }

  private QuorumFailure notAsked(String reason) {
    return SiteResponses.notAsked(
        termRecord.voterSets().latestContext().definition().sites(), reason);
  }

  private QuorumUnavailableException unavailable(@Nullable QuorumFailure failure) {
    return new QuorumUnavailableException(cache.definition().name(), failureOrDefault(failure));
  }

  private boolean isExpired(Payload payload) {
    return payload.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> recoverAll(Term term) {
    VoterSets voterSets = termRecord.voterSets();
    return new KeyRecovery(
            voterSets.contextOf(term),
            termLeaseRules,
            key -> keyOperations.recover(key, term),
            () -> closed)
        .run(term, voterSets.sitesToWalk(term));
  }

  @Override
  public Optional<ChangeSource> changes() {
    if (asyncReplication.isPresent()) {
      throw new UnsupportedOperationException(
          "listening to an SWMR cache requires acknowledgement by a majority: the primary alone may"
              + " lose a write that was shown");
    }
    VoterSets voterSets = termRecord.voterSets();
    VoterSet voterSet = voterSets.latestVoterSet();
    EngineContext voters = VoterSets.restrictContext(cache, voterSet);
    int majority = voters.definition().majority();
    int scans = VoterSetScan.sitesToScan(termRecord, voterSet, voters);
    return Optional.of(
        new ChangeSource(
            0,
            voters.stores(),
            scans,
            scans,
            false,
            retainedMicros(),
            stored -> Vote.ofCopy(CopyCodec.decode(stored), majority),
            (key, deadline) -> readCopy(key, deadline).thenApply(SwmrEngine::contentOf),
            deadline -> isPresent(voterSet, deadline)));
  }

  /**
   * Whether the voter set was the present one when this method was called: no later one has begun
   * while a lease on a term of it lasts.
   */
  private CompletionStage<Boolean> isPresent(VoterSet voterSet, Deadline deadline) {
    return deadlineRetry
        .awaitWithin(deadline, writerLease.findLeasedTerm(), Optional.<LeasedTerm>empty())
        .thenCompose(
            leasedTerm ->
                leasedTerm.isEmpty()
                    ? CompletableFuture.completedFuture(false)
                    : deadlineRetry.awaitWithin(
                        deadline,
                        termRecord.checkStillAllowed(
                            leasedTerm.get().term(), termLeaseRules::mayAnswer),
                        false))
        .thenApply(
            isAllowed -> isAllowed && termRecord.voterSets().latestVoterSet().equals(voterSet));
  }

  /** A {@link CopySweeper} removes no younger tombstone. */
  private long retainedMicros() {
    Duration grace = cache.definition().tombstoneGrace();
    Duration least = CopySweeper.LEAST_AGE;
    return (grace.compareTo(least) > 0 ? grace : least).toNanos() / 1000;
  }

  /** Absence that a recovery left has no write of its own. */
  private static Content<Payload> contentOf(Copy<Payload> copy) {
    return copy.origin().equals(Stamp.NONE)
        ? Content.absent()
        : Vote.contentOf(copy.origin(), copy.value());
  }

  @Override
  public EntryScan scan(int batchSize) {
    return VoterSetScan.of(this, termRecord, batchSize, true);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return VoterSetScan.of(this, termRecord, batchSize, false);
  }

  KeysToFence keysToFence() {
    return keysToFence;
  }

  TermRecord termRecord() {
    return termRecord;
  }

  WriterLease writerLease() {
    return writerLease;
  }

  PerKeyQueue perKeyQueue() {
    return perKeyQueue;
  }

  /** The term that was seen last, whether or not a lease on it is valid. */
  public Optional<Term> term() {
    return termRecord.last().map(LeasedTerm::term);
  }

  /** Empty where a majority acknowledges. */
  @Override
  public WindowedEngine.State window() {
    return asyncReplication.map(AsyncReplication::state).orElse(new State(0, Duration.ZERO, 0));
  }

  @Override
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    return asyncReplication
        .map(replication -> replication.inDoubtReporter().listen(listener))
        .orElse(() -> {});
  }

  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    return asyncReplication
        .map(replication -> replication.drain(deadline))
        .orElse(CompletableFuture.completedFuture(true));
  }

  @Override
  public void close() {
    closed = true;
    perKeyQueue.close();
    asyncReplication.ifPresent(AsyncReplication::close);
    writerLease.close();
  }
}
