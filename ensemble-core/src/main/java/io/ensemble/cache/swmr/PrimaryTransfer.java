package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.SiteIncompleteException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes of the primary by command, as opposed to those after silence. */
final class PrimaryTransfer {

  private static final Logger LOG = LoggerFactory.getLogger(PrimaryTransfer.class);
  private static final long PAUSE_NANOS = 100_000_000;

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final WriterLease writerLease;

  PrimaryTransfer(EngineContext cache, TermRecord termRecord, WriterLease writerLease) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.writerLease = writerLease;
  }

  /**
   * An active term with {@code site} as its primary; the present term if {@code site} is its
   * primary.
   */
  CompletionStage<Term> to(String site, Deadline deadline) {
    return repeatUntil(
            deadline,
            term ->
                !termRecord.voterSets().latestVoterSet().counts(site)
                    ? CompletableFuture.failedFuture(incompleteException(site))
                    : term.primary().equals(site)
                        ? CompletableFuture.completedFuture(term)
                        : requestRecord(site)
                            .thenCompose(entry -> beginTerm(term, site))
                            .thenApply(begun -> null))
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(toQuorumException(site, failure)));
  }

  private SiteIncompleteException incompleteException(String site) {
    return new SiteIncompleteException(
        cache.definition().name(), site, termRecord.voterSets().latestVoterSet().sites());
  }

  /**
   * A term into which every key has been recovered, or which follows such a term of the same voter
   * set: each voter has all current data.
   */
  CompletionStage<Term> awaitFilled(Deadline deadline) {
    return repeatUntil(
        deadline,
        term -> {
          if (termRecord.voterSets().latestVoterSet().isFilled(term)) {
            return CompletableFuture.completedFuture(term);
          }
          writerLease.takeResponsibility(term);
          return CompletableFuture.completedFuture(null);
        });
  }

  /** Fails without a retry when {@code site} cannot be read: a primary must answer. */
  private CompletionStage<?> requestRecord(String site) {
    Deadline limit = new Deadline(cache.scheduler().nanos() + KeyCall.REQUEST_NANOS);
    return cache
        .stores()
        .get(cache.definition().sites().indexOf(site))
        .store(limit)
        .thenCompose(store -> store.read(SwmrKeyLayout.RECORD, limit));
  }

  private Throwable toQuorumException(String site, Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    if (!(cause instanceof SiteException)) {
      return cause;
    }
    SiteResponses siteResponses = new SiteResponses(cache.definition().sites());
    siteResponses.silent(cache.definition().sites().indexOf(site), cause);
    return new QuorumUnavailableException(cache.definition().name(), siteResponses.shortfall());
  }

  /**
   * A term that began after this call, with another primary than {@code site}, and into which every
   * key has been recovered. So no current data depends on the content of {@code site}.
   */
  CompletionStage<Term> without(String site, Deadline deadline) {
    long[] initialEpoch = {0};
    return repeatUntil(
        deadline,
        term -> {
          if (initialEpoch[0] == 0) {
            initialEpoch[0] = term.epoch();
          }
          if (term.epoch() == initialEpoch[0] || term.primary().equals(site)) {
            return beginTermWithout(term, site).thenApply(begun -> null);
          }
          if (term.isRecovered()) {
            return CompletableFuture.completedFuture(term);
          }
          writerLease.takeResponsibility(term);
          return CompletableFuture.completedFuture(null);
        });
  }

  private CompletionStage<?> beginTermWithout(Term term, String site) {
    return term.primary().equals(site)
        ? writerLease
            .primary()
            .fastest(site, SwmrKeyLayout.RECORD)
            .thenCompose(other -> beginTerm(term, other))
        : beginTerm(term, term.primary());
  }

  private CompletionStage<?> beginTerm(Term term, String primary) {
    Term next = term.succeeded(primary, term.writer());
    return termRecord
        .change(term, next)
        .thenAccept(
            changedTerm -> {
              if (changedTerm.term().equals(next)) {
                LOG.info(
                    "new term requested; cache={} epoch={} primary={}",
                    cache.definition().name(),
                    next.epoch(),
                    primary);
              }
            });
  }

  /**
   * The step to take in an active term; returns the requested term, or null if there is none yet.
   */
  private interface Step {
    CompletionStage<@Nullable Term> apply(Term term);
  }

  private CompletionStage<Term> repeatUntil(Deadline deadline, Step step) {
    AtomicReference<@Nullable Term> found = new AtomicReference<>();
    return AsyncLoop.whileTrue(
            cache.scheduler(),
            () ->
                runStep(step)
                    .exceptionallyCompose(
                        failure ->
                            isRetryable(failure)
                                ? CompletableFuture.completedFuture(null)
                                : CompletableFuture.failedFuture(failure))
                    .thenCompose(
                        term -> {
                          found.set(term);
                          return term != null || deadline.hasPassed(cache.scheduler())
                              ? CompletableFuture.completedFuture(false)
                              : pause();
                        }))
        .thenCompose(
            done -> {
              Term term = found.get();
              return term != null
                  ? CompletableFuture.completedFuture(term)
                  : CompletableFuture.failedFuture(timeoutException());
            });
  }

  /** Also activates a pending term after its waiting time. */
  private CompletionStage<@Nullable Term> runStep(Step step) {
    return writerLease
        .findLeasedTerm()
        .thenCompose(
            leasedTerm ->
                leasedTerm.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : termRecord
                        .readLatest()
                        .thenCompose(
                            latestTerm ->
                                latestTerm.term().active()
                                    ? step.apply(latestTerm.term())
                                    : CompletableFuture.completedFuture(null)));
  }

  private QuorumUnavailableException timeoutException() {
    return new QuorumUnavailableException(
        cache.definition().name(),
        SiteResponses.notAsked(cache.definition().sites(), "the requested term did not begin"));
  }

  private static boolean isRetryable(Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    return cause instanceof QuorumUnavailableException
        || cause instanceof TermRecord.NotKnownException
        || cause instanceof NoSuchElementException;
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> pauseEnd = new CompletableFuture<>();
    cache.scheduler().after(PAUSE_NANOS, () -> pauseEnd.complete(true));
    return pauseEnd;
  }
}
