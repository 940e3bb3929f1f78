package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.call.Lanes;
import io.ensemble.cache.call.QuorumScan;
import io.ensemble.cache.call.Replicas;
import io.ensemble.cache.call.Steps;
import io.ensemble.cache.swmr.KeyCall.Ended;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Setting;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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
 * <p>Whether a value has expired is judged by the clock of whoever reads it; expired values and
 * tombstones stay where they are.
 */
public final class SwmrEngine implements CacheEngine {

  private static final long PAUSE_NANOS = 20_000_000;
  private static final int MOST_UNCERTAIN = 10_000;

  private final OpenCache cache;
  private final Scheduler scheduler;
  private final Leases leases;
  private final Terms terms;
  private final Tenancy tenancy;
  private final Lanes lanes;
  private final Sequences sequences;

  /** Keys with a write of unknown outcome, and its epoch. */
  private final Map<Bytes, Long> uncertain = new ConcurrentHashMap<>();

  private volatile boolean closed;

  private SwmrEngine(OpenCache cache, CacheEngine control, Bytes record, Leases leases) {
    this.cache = cache;
    this.scheduler = cache.scheduler();
    this.leases = leases;
    terms = new Terms(control, record, cache, leases);
    tenancy = new Tenancy(cache, terms, leases, this::recoverAll);
    lanes = new Lanes(scheduler);
    sequences = new Sequences(cache.writer(), cache.clock()::after);
  }

  /**
   * Opens the engine; sends nothing yet.
   *
   * @param control an MWMR cache, open as long as this one
   * @param record the key of this cache's record there; no other birth of the cache may have it
   */
  public static SwmrEngine open(OpenCache cache, CacheEngine control, Bytes record, Leases leases) {
    return new SwmrEngine(cache, control, record, leases);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    AtomicReference<@Nullable Shortfall> why = new AtomicReference<>();
    return untilDone(
        deadline,
        () ->
            tenancy
                .trusted()
                .thenCompose(
                    trust -> trust.isEmpty() ? never() : readOnce(key, trust.get(), deadline, why)),
        () -> CompletableFuture.failedFuture(unavailable(why.get())));
  }

  private CompletionStage<Optional<Optional<Payload>>> readOnce(
      Bytes key, Trust trust, Deadline deadline, AtomicReference<@Nullable Shortfall> why) {
    Operation<Payload, Payload> operation = Operation.read(setting(trust.term()));
    return call(key, trust.term(), operation, earlier(deadline, leases.leaseNanos() / 2))
        .thenApply(
            ended -> {
              why.set(ended.answers());
              if (ended.outcome() instanceof Outcome.Done<Payload, Payload> done
                  && mayAnswer(trust.term())) {
                cache.metrics().roundTrips("read", ended.roundTrips());
                return Optional.of(Optional.ofNullable(done.result()).filter(p -> !isOver(p)));
              }
              lookIfSuperseded(ended.outcome());
              return Optional.empty();
            });
  }

  private boolean mayAnswer(Term term) {
    return terms
        .of(term.epoch())
        .filter(trust -> leases.mayAnswer(trust, scheduler.nanos()))
        .isPresent();
  }

  private boolean mayAcknowledge(Term term) {
    return terms
        .of(term.epoch())
        .filter(trust -> leases.mayAcknowledge(trust, scheduler.nanos()))
        .isPresent();
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
    Update<Payload, R> mindingExpiry =
        current -> update.decide(current != null && isOver(current) ? null : current);
    return lanes.take(
        key,
        deadline,
        () -> updateInTurn(key, mindingExpiry, deadline),
        why -> new WriteOutcome.Refused<>(Answers.notAsked(cache.definition().sites(), why)));
  }

  private <R> CompletionStage<WriteOutcome<R>> updateInTurn(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    AtomicReference<@Nullable Shortfall> why = new AtomicReference<>();
    AtomicReference<@Nullable Term> firstSeen = new AtomicReference<>();
    return untilDone(
        deadline,
        () ->
            tenancy
                .tenure(firstSeen)
                .thenCompose(
                    trust ->
                        trust.isEmpty()
                            ? never()
                            : updateOnce(key, update, trust.get().term(), deadline, why)),
        () -> CompletableFuture.completedFuture(new WriteOutcome.Refused<>(notNull(why.get()))));
  }

  private <R> CompletionStage<Optional<WriteOutcome<R>>> updateOnce(
      Bytes key,
      Update<Payload, R> update,
      Term term,
      Deadline deadline,
      AtomicReference<@Nullable Shortfall> why) {
    if (uncertain.size() > MOST_UNCERTAIN && !uncertain.containsKey(key)) {
      uncertain.values().removeIf(epoch -> epoch < term.epoch());
      if (uncertain.size() > MOST_UNCERTAIN) {
        return CompletableFuture.completedFuture(
            Optional.of(
                new WriteOutcome.Refused<>(
                    Answers.notAsked(cache.definition().sites(), "too many unknown outcomes"))));
      }
    }
    boolean fenced = Objects.equals(uncertain.get(key), term.epoch());
    Setting setting = setting(term);
    Operation<Payload, R> operation =
        fenced
            ? Operation.fencedWrite(setting, update, sequences)
            : Operation.write(setting, update, sequences);
    return call(key, term, operation, deadline)
        .thenApply(
            ended -> {
              why.set(ended.answers());
              return outcome(key, term, ended);
            });
  }

  private <R> Optional<WriteOutcome<R>> outcome(Bytes key, Term term, Ended<R> ended) {
    if (ended.outcome() instanceof Outcome.Done<Payload, R> done) {
      uncertain.remove(key);
      if (mayAcknowledge(term)) {
        cache.metrics().roundTrips(done.wrote() ? "write" : "read", ended.roundTrips());
        return Optional.of(
            new WriteOutcome.Applied<>(done.result(), done.copy().origin(), done.wrote()));
      }
      return done.wrote()
          ? Optional.of(new WriteOutcome.Unknown<>(ended.answers()))
          : Optional.empty();
    }
    if (ended.outcome() instanceof Outcome.Unknown) {
      uncertain.put(key, term.epoch());
      return Optional.of(new WriteOutcome.Unknown<>(ended.answers()));
    }
    lookIfSuperseded(ended.outcome());
    return Optional.empty();
  }

  private <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, Operation<Payload, R> operation, Deadline limit) {
    return new KeyCall<>(
            scheduler,
            cache.definition().sites(),
            key,
            operation,
            Replicas.of(cache.stores(), limit),
            setting(term).primary(),
            limit)
        .start()
        .thenApply(
            ended -> {
              tenancy.primary().heard(term, ended.primaryHeard(), key);
              return ended;
            });
  }

  private Setting setting(Term term) {
    return term.setting(cache.definition().sites(), true);
  }

  /**
   * Makes attempts until one gives something or the deadline is too near for another. What another
   * attempt may mend, such as a control register that does not answer, counts as nothing.
   */
  private <T> CompletionStage<T> untilDone(
      Deadline deadline,
      Supplier<CompletionStage<Optional<T>>> attempt,
      Supplier<CompletionStage<T>> tooLate) {
    AtomicReference<@Nullable T> found = new AtomicReference<>();
    return Steps.whileTrue(
            scheduler,
            () ->
                attempt
                    .get()
                    .exceptionallyCompose(
                        failure ->
                            mayPass(failure) ? never() : CompletableFuture.failedFuture(failure))
                    .thenCompose(
                        result -> {
                          result.ifPresent(found::set);
                          boolean late = deadline.remainingNanos(scheduler) <= PAUSE_NANOS;
                          return result.isPresent() || late || closed
                              ? CompletableFuture.completedFuture(false)
                              : pause();
                        }))
        .thenCompose(
            ended -> {
              T result = found.get();
              return result == null ? tooLate.get() : CompletableFuture.completedFuture(result);
            });
  }

  private static boolean mayPass(Throwable failure) {
    Throwable why = Unwrapped.of(failure);
    return why instanceof QuorumUnavailableException || why instanceof Terms.NotKnownException;
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    scheduler.after(PAUSE_NANOS, () -> over.complete(true));
    return over;
  }

  private static <T> CompletionStage<Optional<T>> never() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private Deadline earlier(Deadline deadline, long nanos) {
    long limit = scheduler.nanos() + nanos;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }

  private Shortfall notNull(@Nullable Shortfall why) {
    List<String> sites = cache.definition().sites();
    return why != null ? why : Answers.notAsked(sites, "no term could be trusted in time");
  }

  private QuorumUnavailableException unavailable(@Nullable Shortfall why) {
    return new QuorumUnavailableException(cache.definition().name(), notNull(why));
  }

  private boolean isOver(Payload payload) {
    return payload.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> recoverAll(Term term) {
    return new KeyRecovery(cache, leases, key -> recover(key, term), () -> closed).run(term);
  }

  private CompletionStage<Boolean> recover(Bytes key, Term term) {
    Deadline limit = new Deadline(scheduler.nanos() + 2 * KeyCall.REQUEST_NANOS);
    return call(key, term, Operation.recover(setting(term)), limit)
        .thenApply(ended -> ended.outcome() instanceof Outcome.Done);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return new QuorumScan(this, cache, batchSize);
  }

  /** How many writes of this process have outcomes that are still unknown. */
  public int uncertainKeys() {
    return uncertain.size();
  }

  Terms terms() {
    return terms;
  }

  Tenancy tenancy() {
    return tenancy;
  }

  /** The term that was seen last, whether or not it may be trusted. */
  public Optional<Term> term() {
    return terms.last().map(Trust::term);
  }

  @Override
  public void close() {
    closed = true;
    lanes.close();
    tenancy.close();
  }
}
