package io.ensemble.cache.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.CopyWindow;
import io.ensemble.InDoubtWrites;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
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
import io.ensemble.cache.swmr.copy.KeyCall.Ended;
import io.ensemble.cache.swmr.copy.KeyRecovery;
import io.ensemble.cache.swmr.window.WindowSlot;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
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
  private final Optional<AsyncReplication> primaryFirst;

  private final DeadlineRetry deadlineRetry;
  private final KeyOperations calls;
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
    calls = new KeyOperations(termRecord, window.isEmpty(), writerLease.primary()::heard);
    primaryFirst =
        window.map(
            bounds ->
                new AsyncReplication(
                    cache,
                    writerLease,
                    termLeaseRules,
                    perKeyQueue,
                    sequenceGenerator,
                    keysToFence,
                    bounds));
  }

  /**
   * Opens the engine; sends no request yet.
   *
   * @param control an MWMR cache, open as long as this engine
   * @param record the key of this cache's record there; each birth of the cache needs another key
   */
  public static SwmrEngine open(
      EngineContext cache, CacheEngine control, Bytes record, TermLeaseRules termLeaseRules) {
    boolean byPrimary = cache.definition().acknowledgement() == Acknowledgement.PRIMARY;
    return open(
        cache,
        control,
        record,
        termLeaseRules,
        byPrimary ? Optional.of(cache.definition().window()) : Optional.empty());
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
    AtomicReference<@Nullable QuorumFailure> why = new AtomicReference<>();
    return deadlineRetry.untilDone(
        deadline,
        () ->
            deadlineRetry
                .within(deadline, writerLease.trusted(), Optional.<LeasedTerm>empty())
                .thenCompose(
                    leasedTerm ->
                        leasedTerm.isEmpty()
                            ? DeadlineRetry.never()
                            : readOnce(key, leasedTerm.get(), deadline, why)),
        () -> CompletableFuture.failedFuture(unavailable(why.get())));
  }

  private CompletionStage<Optional<Optional<Payload>>> readOnce(
      Bytes key,
      LeasedTerm leasedTerm,
      Deadline deadline,
      AtomicReference<@Nullable QuorumFailure> why) {
    PrimaryOperation<Payload, Payload> operation =
        PrimaryOperation.read(calls.setting(leasedTerm.term()));
    return calls
        .call(
            key,
            leasedTerm.term(),
            operation,
            deadlineRetry.earlier(deadline, termLeaseRules.leaseNanos() / 2))
        .thenCompose(
            ended ->
                lasted(leasedTerm.term(), ended, termLeaseRules::mayAnswer, deadline)
                    .thenApply(
                        holds -> {
                          ended.throwIfBroken();
                          why.set(ended.answers());
                          if (holds
                              && ended.outcome()
                                  instanceof PrimaryOutcome.Done<Payload, Payload> done) {
                            cache.metrics().roundTrips("read", ended.roundTrips());
                            return Optional.of(
                                Optional.ofNullable(done.result()).filter(p -> !isOver(p)));
                          }
                          lookIfSuperseded(ended.outcome());
                          return Optional.empty();
                        }));
  }

  /** Whether {@code term} still lasted when {@code ended} was available. */
  private CompletionStage<Boolean> lasted(
      Term term, Ended<?> ended, BiPredicate<LeasedTerm, Long> rule, Deadline deadline) {
    return ended.outcome() instanceof PrimaryOutcome.Done
        ? deadlineRetry.within(deadline, termRecord.lastsUntilNow(term, rule), false)
        : CompletableFuture.completedFuture(false);
  }

  private void lookIfSuperseded(PrimaryOutcome<Payload, ?> outcome) {
    if (outcome instanceof PrimaryOutcome.Superseded) {
      termRecord.look().exceptionally(failure -> null);
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
        new QueuedWrite<>(StampedUpdate.of(cache, mindingExpiry(update)), deadline, this::notAsked);
    if (primaryFirst.isEmpty()) {
      batcher.add(key, write);
    } else {
      performAlone(key, write);
    }
    return write.answer().thenCompose(writerLease::byType);
  }

  /** An expired value counts as absent. */
  private <R> Update<Payload, CallerDecision<R>> mindingExpiry(Update<Payload, R> update) {
    return current -> {
      Decision<Payload, R> wanted =
          update.decide(current != null && isOver(current) ? null : current);
      return new Decision<>(
          wanted.writes(), wanted.value(), new CallerDecision<>(wanted.result(), wanted.writes()));
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
    return primaryFirst.isEmpty()
        ? updateInPlace(key, update, deadline, Optional.empty())
        : primaryFirst
            .get()
            .within(
                deadline,
                place -> updateInPlace(key, update, deadline, Optional.of(place)),
                () -> new WriteOutcome.Refused<>(notAsked("the window of copies is full")));
  }

  private <R> CompletionStage<WriteOutcome<R>> updateInPlace(
      Bytes key, Update<Payload, R> update, Deadline deadline, Optional<WindowSlot> place) {
    AtomicReference<@Nullable QuorumFailure> why = new AtomicReference<>();
    return deadlineRetry.untilDone(
        deadline,
        () ->
            deadlineRetry
                .within(deadline, writerLease.tenure(), Optional.<LeasedTerm>empty())
                .thenCompose(
                    leasedTerm ->
                        leasedTerm.isEmpty()
                            ? DeadlineRetry.never()
                            : updateOnce(
                                key, update, leasedTerm.get().term(), deadline, why, place)),
        () -> CompletableFuture.completedFuture(new WriteOutcome.Refused<>(notNull(why.get()))));
  }

  private <R> CompletionStage<Optional<WriteOutcome<R>>> updateOnce(
      Bytes key,
      Update<Payload, R> update,
      Term term,
      Deadline deadline,
      AtomicReference<@Nullable QuorumFailure> why,
      Optional<WindowSlot> place) {
    if (!keysToFence.admits(key, term)) {
      return primaryFirst.isEmpty()
          ? writerLease.beginAnew(term).thenApply(begun -> Optional.empty())
          : CompletableFuture.completedFuture(
              Optional.of(
                  new WriteOutcome.Refused<>(notAsked("too many writes with unknown outcome"))));
    }
    CompletionStage<Ended<R>> call =
        keysToFence.contains(key, term)
            ? calls.call(
                key,
                term,
                PrimaryOperation.fencedWrite(calls.setting(term), update, sequenceGenerator),
                deadline)
            : calls.write(key, term, update, sequenceGenerator, deadline);
    return call.thenCompose(
        ended ->
            lasted(term, ended, termLeaseRules::mayAcknowledge, deadline)
                .thenApply(
                    holds -> {
                      why.set(ended.answers());
                      Optional<WriteOutcome<R>> outcome = outcome(key, term, ended, place, holds);
                      ended.throwIfBroken();
                      return outcome;
                    }));
  }

  private <R> Optional<WriteOutcome<R>> outcome(
      Bytes key, Term term, Ended<R> ended, Optional<WindowSlot> place, boolean holds) {
    if (ended.outcome() instanceof PrimaryOutcome.Done<Payload, R> done) {
      keysToFence.remove(key);
      if (done.wrote() && place.isPresent()) {
        primaryFirst
            .orElseThrow()
            .written(place.get(), key, term, done.copy(), ended.replaced(), holds);
      }
      if (holds) {
        cache.metrics().roundTrips(done.wrote() ? "write" : "read", ended.roundTrips());
        return Optional.of(
            new WriteOutcome.Applied<>(done.result(), done.copy().origin(), done.wrote()));
      }
      return done.wrote()
          ? Optional.of(new WriteOutcome.Unknown<>(ended.answers()))
          : Optional.empty();
    }
    if (ended.outcome() instanceof PrimaryOutcome.Unknown) {
      keysToFence.add(key, term);
      primaryFirst.ifPresent(first -> first.lostSight(key, term, ended));
      return Optional.of(new WriteOutcome.Unknown<>(ended.answers()));
    }
    lookIfSuperseded(ended.outcome());
    return Optional.empty();
  }

  private QuorumFailure notNull(@Nullable QuorumFailure why) {
    return why != null ? why : notAsked("no leased term was obtained in time");
  }

  private QuorumFailure notAsked(String why) {
    return SiteResponses.notAsked(termRecord.rolls().now().definition().sites(), why);
  }

  private QuorumUnavailableException unavailable(@Nullable QuorumFailure why) {
    return new QuorumUnavailableException(cache.definition().name(), notNull(why));
  }

  private boolean isOver(Payload payload) {
    return payload.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> recoverAll(Term term) {
    VoterSets rolls = termRecord.rolls();
    return new KeyRecovery(
            rolls.of(term), termLeaseRules, key -> calls.recover(key, term), () -> closed)
        .run(term, rolls.sitesToWalk(term));
  }

  @Override
  public EntryScan scan(int batchSize) {
    return VoterSetScan.of(this, termRecord, batchSize);
  }

  KeysToFence uncertain() {
    return keysToFence;
  }

  TermRecord terms() {
    return termRecord;
  }

  WriterLease tenancy() {
    return writerLease;
  }

  PerKeyQueue lanes() {
    return perKeyQueue;
  }

  /** The term that was seen last, whether or not a lease on it is valid. */
  public Optional<Term> term() {
    return termRecord.last().map(LeasedTerm::term);
  }

  /** Empty where a majority acknowledges. */
  @Override
  public WindowedEngine.State window() {
    return primaryFirst.map(AsyncReplication::state).orElse(new State(0, Duration.ZERO, 0));
  }

  @Override
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    return primaryFirst.map(first -> first.reports().listen(listener)).orElse(() -> {});
  }

  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    return primaryFirst
        .map(first -> first.drain(deadline))
        .orElse(CompletableFuture.completedFuture(true));
  }

  @Override
  public void close() {
    closed = true;
    perKeyQueue.close();
    primaryFirst.ifPresent(AsyncReplication::close);
    writerLease.close();
  }
}
