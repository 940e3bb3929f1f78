package io.ensemble.cache.swmr;

import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
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
  private final PeriodicTask renewals;
  private final boolean closesTerms;
  private final Function<Term, CompletionStage<Boolean>> recoverAll;
  private final PrimaryFailover primary;

  // The fields below are guarded by this object's lock.
  private long responsibleFor;
  private long recoveringStage;
  private long recoveredStage;
  private boolean closed;

  /**
   * @param closesTerms whether a term in which all keys are recovered is closed before it is whole
   * @param recoverAll recovers every key into a term, or ends the remains of such recoveries;
   *     returns whether it did so for all keys
   */
  WriterLease(
      EngineContext cache,
      TermRecord termRecord,
      TermLeaseRules termLeaseRules,
      boolean closesTerms,
      Function<Term, CompletionStage<Boolean>> recoverAll) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.termLeaseRules = termLeaseRules;
    this.scheduler = cache.scheduler();
    renewals =
        new PeriodicTask(
            "term of " + cache.definition().name(),
            scheduler,
            Duration.ofNanos(termLeaseRules.renewalNanos()),
            this::renew);
    this.closesTerms = closesTerms;
    this.recoverAll = recoverAll;
    primary = new PrimaryFailover(cache, termRecord, termLeaseRules);
  }

  /** A term with a valid lease, if there is one. */
  CompletionStage<Optional<LeasedTerm>> findLeasedTerm() {
    Optional<LeasedTerm> last = termRecord.last().filter(termRecord::isLeaseValid);
    if (last.isPresent()) {
      if (scheduler.nanos() - last.get().sinceNanos() > termLeaseRules.renewalNanos()) {
        termRecord.readLatest().exceptionally(failure -> last.get());
      }
      return CompletableFuture.completedFuture(last);
    }
    return termRecord
        .readLatest()
        .thenCompose(
            leasedTerm ->
                leasedTerm.term().active()
                    ? CompletableFuture.completedFuture(
                        Optional.of(leasedTerm).filter(termRecord::isLeaseValid))
                    : activateTerm(leasedTerm.term()));
  }

  private CompletionStage<Optional<LeasedTerm>> activateTerm(Term pending) {
    if (!termRecord.isLeaseExpired(pending)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return termRecord
        .change(pending, pending.activated())
        .thenApply(
            changedTerm -> {
              if (changedTerm.term().equals(pending.activated())) {
                logTerm("a term is beginning", changedTerm.term());
                takeResponsibility(changedTerm.term());
              }
              return Optional.of(changedTerm).filter(termRecord::isLeaseValid);
            });
  }

  /**
   * A term of which this process is the writer, if it is the writer now or can become so. Fails
   * with {@link WriterPresentException} when another writer is known to have been alive within a
   * lease. Where that is not known yet, the next heartbeat shows it.
   */
  CompletionStage<Optional<LeasedTerm>> acquireLease() {
    return findLeasedTerm()
        .thenCompose(
            leasedTerm ->
                leasedTerm.isEmpty() || termRecord.isOwn(leasedTerm.get().term())
                    ? CompletableFuture.completedFuture(leasedTerm)
                    : termRecord
                        .readLatest()
                        .thenCompose(latestTerm -> becomeWriter(latestTerm.term())));
  }

  private CompletionStage<Optional<LeasedTerm>> becomeWriter(Term currentTerm) {
    Term next;
    if (!currentTerm.active() || isClosed()) {
      return CompletableFuture.completedFuture(Optional.empty());
    } else if (termRecord.isOwn(currentTerm)) { // Another call of this process was faster.
      return CompletableFuture.completedFuture(
          termRecord
              .last()
              .filter(termRecord::isLeaseValid)
              .filter(leasedTerm -> termRecord.isOwn(leasedTerm.term())));
    } else if (currentTerm.writer().equals(WriterId.NONE)) {
      next = currentTerm.handedOver(cache.writer());
    } else if (termRecord.isLeaseExpired(currentTerm)) {
      next = currentTerm.succeeded(currentTerm.primary(), cache.writer());
    } else {
      return termRecord.isWriterAlive(currentTerm)
          ? CompletableFuture.failedFuture(writerPresentException(currentTerm))
          : CompletableFuture.completedFuture(Optional.empty());
    }
    return termRecord
        .change(currentTerm, next)
        .thenApply(
            changedTerm -> {
              if (changedTerm.term().equals(next)) {
                logTerm("a writer is taking over its term", next);
                takeResponsibility(next);
              }
              return Optional.of(changedTerm)
                  .filter(termRecord::isLeaseValid)
                  .filter(leasedTerm -> termRecord.isOwn(leasedTerm.term()));
            });
  }

  /**
   * Begins a term of the same primary and writer, so that recovery decides the writes of unknown
   * outcome in {@code formerTerm}. Fails when the new term is not known to have begun.
   */
  CompletionStage<?> beginNewTerm(Term formerTerm) {
    Term next = formerTerm.succeeded(formerTerm.primary(), formerTerm.writer());
    return termRecord
        .change(formerTerm, next)
        .thenAccept(
            changedTerm -> {
              if (changedTerm.term().equals(next)) {
                logTerm("too many writes with unknown outcome, beginning a new term", next);
              }
            });
  }

  TermRecord termRecord() {
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
  <R> CompletionStage<WriteOutcome<R>> failIfWriterPresent(WriteOutcome<R> outcome) {
    Optional<Term> otherTerm =
        termRecord
            .last()
            .filter(termRecord::isLeaseValid)
            .map(LeasedTerm::term)
            .filter(term -> !term.writer().equals(WriterId.NONE) && !termRecord.isOwn(term));
    return outcome instanceof WriteOutcome.Refused && otherTerm.isPresent()
        ? CompletableFuture.failedFuture(writerPresentException(otherTerm.get()))
        : CompletableFuture.completedFuture(outcome);
  }

  private WriterPresentException writerPresentException(Term term) {
    termRecord.metrics().writerRefused();
    return new WriterPresentException(
        cache.definition().name(),
        term.writer(),
        term.epoch(),
        Duration.ofNanos(termLeaseRules.outwaitNanos()));
  }

  private void logTerm(String event, Term term) {
    LOG.info(
        "{}; cache={} epoch={} primary={} writer={}",
        event,
        cache.definition().name(),
        term.epoch(),
        term.primary(),
        term.writer());
  }

  /** Makes this process responsible for the recovery of every key into {@code term}. */
  synchronized void takeResponsibility(Term term) {
    responsibleFor = term.epoch();
    renewals.start();
  }

  /** Writes a heartbeat of the writer; recovers all keys if this process is responsible. */
  private CompletionStage<?> renew() {
    Optional<LeasedTerm> last = termRecord.last();
    if (last.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Term term = last.get().term();
    boolean isOwn = termRecord.isOwn(term);
    boolean isRecovered;
    synchronized (this) {
      isRecovered = recoveredStage == stage(term);
      if (!isOwn && responsibleFor != term.epoch()) {
        return CompletableFuture.completedFuture(null);
      }
    }
    if (!term.active()) {
      return findLeasedTerm();
    }
    if (isOwn) {
      primary.probe(term); // An idle or waiting writer would detect the silence late.
    }
    if (!term.isWhole() && isRecovered) {
      boolean isFirst = closesTerms && !term.isRecovered();
      return termRecord.change(term, isFirst ? term.recoveredFirst() : term.recovered());
    }
    if (!term.isWhole() && termRecord.canRecoverKeys(term)) {
      recoverKeys(term);
    }
    return isOwn ? termRecord.change(term, term.beaten()) : termRecord.readLatest();
  }

  /**
   * A number for each epoch before all its keys are recovered, and the next number for after that.
   */
  private static long stage(Term term) {
    return 2 * term.epoch() + (term.isRecovered() ? 1 : 0);
  }

  private void recoverKeys(Term term) {
    long stage = stage(term);
    synchronized (this) {
      if (recoveringStage == stage || closed) {
        return;
      }
      recoveringStage = stage;
    }
    CompletionStage<Boolean> recovery;
    try {
      recovery = recoverAll.apply(term);
    } catch (RuntimeException | Error exception) { // The term is renewed regardless.
      LOG.error(
          "recovery of keys failed; cache={} epoch={}",
          cache.definition().name(),
          term.epoch(),
          exception);
      recovery = CompletableFuture.failedFuture(exception);
    }
    recovery.whenComplete(
        (areAllRecovered, failure) -> {
          synchronized (this) {
            if (recoveringStage == stage) {
              recoveringStage = 0; // Not that of a later term, which may have begun.
            }
            if (failure == null && areAllRecovered) {
              recoveredStage = stage;
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
    Optional<Term> ownTerm = termRecord.last().map(LeasedTerm::term).filter(termRecord::isOwn);
    if (ownTerm.isEmpty() || tries == 0) {
      return CompletableFuture.completedFuture(null);
    }
    return termRecord
        .change(ownTerm.get(), ownTerm.get().released())
        .exceptionallyCompose(
            failure ->
                tries == 1
                    ? CompletableFuture.failedFuture(CompletionCause.of(failure))
                    : termRecord.readLatest()) // The release may have been done.
        .thenCompose(changedTerm -> resign(tries - 1));
  }

  /** Releases the writer lease, and never acquires it again. */
  CompletionStage<Void> release() {
    synchronized (this) {
      closed = true;
    }
    renewals.close();
    primary.close();
    return resign();
  }

  @Override
  public void close() {
    release().exceptionally(failure -> null);
  }
}
