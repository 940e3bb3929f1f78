package io.ensemble.cache.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.CopyWindow;
import io.ensemble.DoubtfulWrites;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Draining;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Stamping;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.Windowed;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.call.Lanes;
import io.ensemble.cache.call.QueuedWrite;
import io.ensemble.cache.call.QueuedWrite.BatchResult;
import io.ensemble.cache.call.QueuedWrite.CallerDecision;
import io.ensemble.cache.call.WriteBatcher;
import io.ensemble.cache.swmr.KeyCall.Ended;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
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
 * A cache with a primary copy and one writer at a time, whose writes a majority holds before anyone
 * sees them: linearizable per key while clocks drift less than the leases allow for.
 *
 * <p>Reads ask the primary, one round trip, under a lease that is renewed in the background. The
 * first writing process becomes the writer, until it closes the cache or falls silent; a write of
 * another fails with {@link io.ensemble.WriterPresentException}. When the primary has been silent
 * for a lease, whoever misses it moves it, if there are three sites or more; for the time of two
 * leases and the drift nothing is then read or written.
 *
 * <p>Whether a value has expired is judged by the clock of whoever reads it; a {@link CopySweeper}
 * ends it at last.
 */
public final class SwmrEngine implements CacheEngine, Draining, Windowed {

  private final OpenCache cache;
  private final Scheduler scheduler;
  private final Leases leases;
  private final Terms terms;
  private final Tenancy tenancy;
  private final Lanes lanes;
  private final WriteBatcher<QueuedWrite<?>> batcher;
  private final Sequences sequences;

  private final Uncertain uncertain = new Uncertain();

  /** Where the primary alone acknowledges. */
  private final Optional<PrimaryFirst> primaryFirst;

  private final Attempts attempts;
  private final KeyCalls calls;
  private volatile boolean closed;

  private SwmrEngine(
      OpenCache cache,
      CacheEngine control,
      Bytes record,
      Leases leases,
      Optional<CopyWindow> window) {
    this.cache = cache;
    this.scheduler = cache.scheduler();
    this.leases = leases;
    terms = new Terms(control, record, cache, leases);
    tenancy = new Tenancy(cache, terms, leases, window.isPresent(), this::recoverAll);
    lanes = new Lanes(scheduler);
    batcher = new WriteBatcher<>(lanes, scheduler, this::perform);
    sequences = new Sequences(cache.writer(), cache.clock()::after);
    attempts = new Attempts(scheduler, () -> closed);
    calls = new KeyCalls(terms, window.isEmpty(), tenancy.primary()::heard);
    primaryFirst =
        window.map(
            bounds ->
                new PrimaryFirst(cache, tenancy, leases, lanes, sequences, uncertain, bounds));
  }

  /**
   * Opens the engine; sends nothing yet.
   *
   * @param control an MWMR cache, open as long as this one
   * @param record the key of this cache's record there; no other birth of the cache may have it
   */
  public static SwmrEngine open(OpenCache cache, CacheEngine control, Bytes record, Leases leases) {
    boolean byPrimary = cache.definition().acknowledgement() == Acknowledgement.PRIMARY;
    return open(
        cache,
        control,
        record,
        leases,
        byPrimary ? Optional.of(cache.definition().window()) : Optional.empty());
  }

  /**
   * The same whatever the definition says of acknowledgements.
   *
   * @param window for writes that the primary alone acknowledges; empty when a majority does
   */
  public static SwmrEngine open(
      OpenCache cache,
      CacheEngine control,
      Bytes record,
      Leases leases,
      Optional<CopyWindow> window) {
    return new SwmrEngine(cache, control, record, leases, window);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    AtomicReference<@Nullable Shortfall> why = new AtomicReference<>();
    return attempts.untilDone(
        deadline,
        () ->
            attempts
                .within(deadline, tenancy.trusted(), Optional.<Trust>empty())
                .thenCompose(
                    trust ->
                        trust.isEmpty()
                            ? Attempts.never()
                            : readOnce(key, trust.get(), deadline, why)),
        () -> CompletableFuture.failedFuture(unavailable(why.get())));
  }

  private CompletionStage<Optional<Optional<Payload>>> readOnce(
      Bytes key, Trust trust, Deadline deadline, AtomicReference<@Nullable Shortfall> why) {
    Operation<Payload, Payload> operation = Operation.read(calls.setting(trust.term()));
    return calls
        .call(key, trust.term(), operation, attempts.earlier(deadline, leases.leaseNanos() / 2))
        .thenCompose(
            ended ->
                lasted(trust.term(), ended, leases::mayAnswer, deadline)
                    .thenApply(
                        holds -> {
                          ended.throwIfBroken();
                          why.set(ended.answers());
                          if (holds
                              && ended.outcome() instanceof Outcome.Done<Payload, Payload> done) {
                            cache.metrics().roundTrips("read", ended.roundTrips());
                            return Optional.of(
                                Optional.ofNullable(done.result()).filter(p -> !isOver(p)));
                          }
                          lookIfSuperseded(ended.outcome());
                          return Optional.empty();
                        }));
  }

  /** Whether {@code term} lasted until {@code ended} was there. */
  private CompletionStage<Boolean> lasted(
      Term term, Ended<?> ended, BiPredicate<Trust, Long> rule, Deadline deadline) {
    return ended.outcome() instanceof Outcome.Done
        ? attempts.within(deadline, terms.lastsUntilNow(term, rule), false)
        : CompletableFuture.completedFuture(false);
  }

  private void lookIfSuperseded(Outcome<Payload, ?> outcome) {
    if (outcome instanceof Outcome.Superseded) {
      terms.look().exceptionally(failure -> null);
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
        new QueuedWrite<>(Stamping.of(cache, mindingExpiry(update)), deadline, this::notAsked);
    if (primaryFirst.isEmpty()) {
      batcher.add(key, write);
    } else {
      performAlone(key, write);
    }
    return write.answer().thenCompose(tenancy::byType);
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

  /** Where the primary is asked first: the window bounds how many writes may be lost. */
  private void performAlone(Bytes key, QueuedWrite<?> write) {
    lanes
        .<WriteOutcome<BatchResult>>take(
            key,
            write.deadline(),
            () -> updateInTurn(key, QueuedWrite.inTurn(List.of(write)), write.deadline()),
            why -> new WriteOutcome.Refused<>(notAsked(why)))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                write.tell(outcome);
              } else {
                write.failed(Unwrapped.of(failure));
              }
            });
  }

  private CompletionStage<Consumer<QueuedWrite<?>>> perform(
      Bytes key, List<QueuedWrite<?>> writes, Deadline deadline) {
    return updateInTurn(key, QueuedWrite.inTurn(writes), deadline)
        .thenApply(outcome -> write -> write.tell(outcome));
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
      Bytes key, Update<Payload, R> update, Deadline deadline, Optional<Place> place) {
    AtomicReference<@Nullable Shortfall> why = new AtomicReference<>();
    return attempts.untilDone(
        deadline,
        () ->
            attempts
                .within(deadline, tenancy.tenure(), Optional.<Trust>empty())
                .thenCompose(
                    trust ->
                        trust.isEmpty()
                            ? Attempts.never()
                            : updateOnce(key, update, trust.get().term(), deadline, why, place)),
        () -> CompletableFuture.completedFuture(new WriteOutcome.Refused<>(notNull(why.get()))));
  }

  private <R> CompletionStage<Optional<WriteOutcome<R>>> updateOnce(
      Bytes key,
      Update<Payload, R> update,
      Term term,
      Deadline deadline,
      AtomicReference<@Nullable Shortfall> why,
      Optional<Place> place) {
    if (!uncertain.admits(key, term)) {
      return primaryFirst.isEmpty()
          ? tenancy.beginAnew(term).thenApply(begun -> Optional.empty())
          : CompletableFuture.completedFuture(
              Optional.of(new WriteOutcome.Refused<>(notAsked("too many unknown outcomes"))));
    }
    CompletionStage<Ended<R>> call =
        uncertain.contains(key, term)
            ? calls.call(
                key, term, Operation.fencedWrite(calls.setting(term), update, sequences), deadline)
            : calls.write(key, term, update, sequences, deadline);
    return call.thenCompose(
        ended ->
            lasted(term, ended, leases::mayAcknowledge, deadline)
                .thenApply(
                    holds -> {
                      why.set(ended.answers());
                      Optional<WriteOutcome<R>> outcome = outcome(key, term, ended, place, holds);
                      ended.throwIfBroken();
                      return outcome;
                    }));
  }

  private <R> Optional<WriteOutcome<R>> outcome(
      Bytes key, Term term, Ended<R> ended, Optional<Place> place, boolean holds) {
    if (ended.outcome() instanceof Outcome.Done<Payload, R> done) {
      uncertain.remove(key);
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
    if (ended.outcome() instanceof Outcome.Unknown) {
      uncertain.add(key, term);
      primaryFirst.ifPresent(first -> first.lostSight(key, term, ended));
      return Optional.of(new WriteOutcome.Unknown<>(ended.answers()));
    }
    lookIfSuperseded(ended.outcome());
    return Optional.empty();
  }

  private Shortfall notNull(@Nullable Shortfall why) {
    return why != null ? why : notAsked("no term could be trusted in time");
  }

  private Shortfall notAsked(String why) {
    return Answers.notAsked(terms.rolls().now().definition().sites(), why);
  }

  private QuorumUnavailableException unavailable(@Nullable Shortfall why) {
    return new QuorumUnavailableException(cache.definition().name(), notNull(why));
  }

  private boolean isOver(Payload payload) {
    return payload.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> recoverAll(Term term) {
    Rolls rolls = terms.rolls();
    return new KeyRecovery(rolls.of(term), leases, key -> calls.recover(key, term), () -> closed)
        .run(term, rolls.sitesToWalk(term));
  }

  @Override
  public EntryScan scan(int batchSize) {
    return RollScan.of(this, terms, batchSize);
  }

  Uncertain uncertain() {
    return uncertain;
  }

  Terms terms() {
    return terms;
  }

  Tenancy tenancy() {
    return tenancy;
  }

  Lanes lanes() {
    return lanes;
  }

  /** The term that was seen last, whether or not it may be trusted. */
  public Optional<Term> term() {
    return terms.last().map(Trust::term);
  }

  /** Empty where a majority acknowledges. */
  @Override
  public Windowed.State window() {
    return primaryFirst.map(PrimaryFirst::state).orElse(new State(0, Duration.ZERO, 0));
  }

  @Override
  public Runnable listen(Consumer<DoubtfulWrites<Bytes>> listener) {
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
    lanes.close();
    primaryFirst.ifPresent(PrimaryFirst::close);
    tenancy.close();
  }
}
