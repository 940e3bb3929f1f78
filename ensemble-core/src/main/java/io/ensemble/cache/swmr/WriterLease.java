package io.ensemble.cache.swmr;

import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one process in terms: acquires leases on them, begins them, and keeps its own alive.
 * An attempt returns empty when its time has not come; the caller tries again a little later.
 * Thread-safe.
 */
final class WriterLease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WriterLease.class);
  private static final int TRIES = 3;

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final TermLeaseRules termLeaseRules;
  private final Scheduler scheduler;
  private final boolean closes;
  private final Function<Term, CompletionStage<Boolean>> recoverAll;
  private final PrimaryFailover primary;

  // The fields below are guarded by this object's lock.
  private long responsibleFor;
  private long walking;
  private long walked;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * @param closes whether a term in which all keys are recovered is closed before it is whole
   * @param recoverAll recovers every key into a term, or ends the remains of such recoveries;
   *     returns whether it did so for all keys
   */
  WriterLease(
      EngineContext cache,
      TermRecord termRecord,
      TermLeaseRules termLeaseRules,
      boolean closes,
      Function<Term, CompletionStage<Boolean>> recoverAll) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.termLeaseRules = termLeaseRules;
    this.scheduler = cache.scheduler();
    this.closes = closes;
    this.recoverAll = recoverAll;
    primary = new PrimaryFailover(cache, termRecord, termLeaseRules);
  }

  /** A term with a valid lease, if there is one. */
  CompletionStage<Optional<LeasedTerm>> trusted() {
    Optional<LeasedTerm> last = termRecord.last().filter(termRecord::holds);
    if (last.isPresent()) {
      if (scheduler.nanos() - last.get().sinceNanos() > termLeaseRules.renewalNanos()) {
        termRecord.look().exceptionally(failure -> last.get());
      }
      return CompletableFuture.completedFuture(last);
    }
    return termRecord
        .look()
        .thenCompose(
            seen ->
                seen.term().active()
                    ? CompletableFuture.completedFuture(Optional.of(seen).filter(termRecord::holds))
                    : activate(seen.term()));
  }

  private CompletionStage<Optional<LeasedTerm>> activate(Term pending) {
    if (!termRecord.hasStoodStill(pending)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return termRecord
        .change(pending, pending.activated())
        .thenApply(
            now -> {
              if (now.term().equals(pending.activated())) {
                tell("a term is beginning", now.term());
                beResponsible(now.term());
              }
              return Optional.of(now).filter(termRecord::holds);
            });
  }

  /**
   * A term of which this process is the writer, if it is the writer now or can become so. Fails
   * with {@link WriterPresentException} when another writer is known to have been alive within a
   * lease. Where that is not known yet, the next heartbeat shows it.
   */
  CompletionStage<Optional<LeasedTerm>> tenure() {
    return trusted()
        .thenCompose(
            trust ->
                trust.isEmpty() || termRecord.isOwn(trust.get().term())
                    ? CompletableFuture.completedFuture(trust)
                    : termRecord.look().thenCompose(seen -> become(seen.term())));
  }

  private CompletionStage<Optional<LeasedTerm>> become(Term seen) {
    Term next;
    if (!seen.active() || isClosed()) {
      return CompletableFuture.completedFuture(Optional.empty());
    } else if (termRecord.isOwn(seen)) { // Another call of this process was faster.
      return CompletableFuture.completedFuture(
          termRecord.last().filter(termRecord::holds).filter(own -> termRecord.isOwn(own.term())));
    } else if (seen.writer().equals(WriterId.NONE)) {
      next = seen.handedOver(cache.writer());
    } else if (termRecord.hasStoodStill(seen)) {
      next = seen.succeeded(seen.primary(), cache.writer());
    } else {
      return termRecord.isWriterAlive(seen)
          ? CompletableFuture.failedFuture(present(seen))
          : CompletableFuture.completedFuture(Optional.empty());
    }
    return termRecord
        .change(seen, next)
        .thenApply(
            now -> {
              if (now.term().equals(next)) {
                tell("a writer is taking over its term", next);
                beResponsible(next);
              }
              return Optional.of(now)
                  .filter(termRecord::holds)
                  .filter(own -> termRecord.isOwn(own.term()));
            });
  }

  /**
   * Begins a term of the same primary and writer, so that recovery decides the writes of unknown
   * outcome in {@code former}. Fails when the new term is not known to have begun.
   */
  CompletionStage<?> beginAnew(Term former) {
    Term next = former.succeeded(former.primary(), former.writer());
    return termRecord
        .change(former, next)
        .thenAccept(
            now -> {
              if (now.term().equals(next)) {
                tell("too many writes with unknown outcome, beginning a new term", next);
              }
            });
  }

  TermRecord terms() {
    return termRecord;
  }

  /** Receives the responses of the primary. */
  PrimaryFailover primary() {
    return primary;
  }

  /**
   * Returns {@code outcome}. If it is refused, and a term of another writer is under lease, fails
   * with an exception that names that writer instead. The time may have been too short to wait for
   * that writer's next heartbeat.
   */
  <R> CompletionStage<WriteOutcome<R>> byType(WriteOutcome<R> outcome) {
    Optional<Term> others =
        termRecord
            .last()
            .filter(termRecord::holds)
            .map(LeasedTerm::term)
            .filter(term -> !term.writer().equals(WriterId.NONE) && !termRecord.isOwn(term));
    return outcome instanceof WriteOutcome.Refused && others.isPresent()
        ? CompletableFuture.failedFuture(present(others.get()))
        : CompletableFuture.completedFuture(outcome);
  }

  private WriterPresentException present(Term term) {
    termRecord.metrics().writerRefused();
    return new WriterPresentException(
        cache.definition().name(),
        term.writer(),
        term.epoch(),
        Duration.ofNanos(termLeaseRules.outwaitNanos()));
  }

  private void tell(String what, Term term) {
    LOG.info(
        "{}; cache={} epoch={} primary={} writer={}",
        what,
        cache.definition().name(),
        term.epoch(),
        term.primary(),
        term.writer());
  }

  /** Makes this process responsible for the recovery of every key into {@code term}. */
  synchronized void beResponsible(Term term) {
    responsibleFor = term.epoch();
    if (timer == null) {
      arm();
    }
  }

  private synchronized void arm() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(termLeaseRules.renewalNanos(), this::tick);
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void tick() {
    CompletionStage<?> renewal;
    try {
      renewal = renew();
    } catch (RuntimeException | Error broken) { // Continue: a lease depends on it.
      LOG.error("renewal of the term failed; cache={}", cache.definition().name(), broken);
      arm();
      return;
    }
    renewal.whenComplete((done, failure) -> arm());
  }

  /** Writes a heartbeat of the writer; recovers all keys if this process is responsible. */
  private CompletionStage<?> renew() {
    Optional<LeasedTerm> last = termRecord.last();
    if (last.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Term term = last.get().term();
    boolean own = termRecord.isOwn(term);
    boolean done;
    synchronized (this) {
      done = walked == stage(term);
      if (!own && responsibleFor != term.epoch()) {
        return CompletableFuture.completedFuture(null);
      }
    }
    if (!term.active()) {
      return trusted();
    }
    if (own) {
      primary.probe(term); // An idle or waiting writer would detect the silence late.
    }
    if (!term.isWhole() && done) {
      boolean first = closes && !term.isRecovered();
      return termRecord.change(term, first ? term.recoveredFirst() : term.recovered());
    }
    if (!term.isWhole() && termRecord.mayWalk(term)) {
      walk(term);
    }
    return own ? termRecord.change(term, term.beaten()) : termRecord.look();
  }

  /**
   * A number for each epoch before all its keys are recovered, and the next number for after that.
   */
  private static long stage(Term term) {
    return 2 * term.epoch() + (term.isRecovered() ? 1 : 0);
  }

  private void walk(Term term) {
    long stage = stage(term);
    synchronized (this) {
      if (walking == stage || closed) {
        return;
      }
      walking = stage;
    }
    CompletionStage<Boolean> recovery;
    try {
      recovery = recoverAll.apply(term);
    } catch (RuntimeException | Error broken) { // The term is renewed regardless.
      LOG.error(
          "recovery of keys failed; cache={} epoch={}",
          cache.definition().name(),
          term.epoch(),
          broken);
      recovery = CompletableFuture.failedFuture(broken);
    }
    recovery.whenComplete(
        (all, failure) -> {
          synchronized (this) {
            if (walking == stage) {
              walking = 0; // Not that of a later term, which may have begun.
            }
            if (failure == null && all) {
              walked = stage;
            }
          }
        });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /**
   * Releases the writer lease, if this process holds it, so that another process need not wait.
   * Also in a pending term, which then begins without a writer.
   */
  CompletionStage<Void> resign() {
    return resign(TRIES);
  }

  /** A heartbeat under way may come between. */
  private CompletionStage<Void> resign(int tries) {
    Optional<Term> own = termRecord.last().map(LeasedTerm::term).filter(termRecord::isOwn);
    if (own.isEmpty() || tries == 0) {
      return CompletableFuture.completedFuture(null);
    }
    return termRecord
        .change(own.get(), own.get().released())
        .exceptionallyCompose(
            unknown ->
                tries == 1
                    ? CompletableFuture.failedFuture(CompletionCause.of(unknown))
                    : termRecord.look()) // The release may have been done.
        .thenCompose(now -> resign(tries - 1));
  }

  /** Releases the writer lease, and never acquires it again. */
  CompletionStage<Void> release() {
    synchronized (this) {
      closed = true;
      if (timer != null) {
        timer.cancel();
      }
    }
    primary.close();
    return resign();
  }

  @Override
  public void close() {
    release().exceptionally(failure -> null);
  }
}
