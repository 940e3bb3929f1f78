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
    return until(
            deadline,
            term ->
                !termRecord.rolls().present().counts(site)
                    ? CompletableFuture.failedFuture(notCounted(site))
                    : term.primary().equals(site)
                        ? CompletableFuture.completedFuture(term)
                        : answers(site)
                            .thenCompose(there -> begin(term, site))
                            .thenApply(begun -> null))
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(named(site, failure)));
  }

  private SiteIncompleteException notCounted(String site) {
    return new SiteIncompleteException(
        cache.definition().name(), site, termRecord.rolls().present().sites());
  }

  /**
   * A term into which every key has been recovered, or which follows such a term of the same voter
   * set: each voter has all current data.
   */
  CompletionStage<Term> filled(Deadline deadline) {
    return until(
        deadline,
        term -> {
          if (termRecord.rolls().present().isFilled(term)) {
            return CompletableFuture.completedFuture(term);
          }
          writerLease.beResponsible(term);
          return CompletableFuture.completedFuture(null);
        });
  }

  /** Fails without a retry when {@code site} cannot be read: a primary must answer. */
  private CompletionStage<?> answers(String site) {
    Deadline soon = new Deadline(cache.scheduler().nanos() + KeyCall.REQUEST_NANOS);
    return cache
        .stores()
        .get(cache.definition().sites().indexOf(site))
        .store(soon)
        .thenCompose(store -> store.read(SwmrKeyLayout.RECORD, soon));
  }

  private Throwable named(String site, Throwable failure) {
    Throwable why = CompletionCause.of(failure);
    if (!(why instanceof SiteException)) {
      return why;
    }
    SiteResponses answers = new SiteResponses(cache.definition().sites());
    answers.silent(cache.definition().sites().indexOf(site), why);
    return new QuorumUnavailableException(cache.definition().name(), answers.shortfall());
  }

  /**
   * A term that began after this call, with another primary than {@code site}, and into which every
   * key has been recovered. So no current data depends on the content of {@code site}.
   */
  CompletionStage<Term> without(String site, Deadline deadline) {
    long[] before = {0};
    return until(
        deadline,
        term -> {
          if (before[0] == 0) {
            before[0] = term.epoch();
          }
          if (term.epoch() == before[0] || term.primary().equals(site)) {
            return leaving(term, site).thenApply(begun -> null);
          }
          if (term.isRecovered()) {
            return CompletableFuture.completedFuture(term);
          }
          writerLease.beResponsible(term);
          return CompletableFuture.completedFuture(null);
        });
  }

  private CompletionStage<?> leaving(Term term, String site) {
    return term.primary().equals(site)
        ? writerLease
            .primary()
            .fastest(site, SwmrKeyLayout.RECORD)
            .thenCompose(other -> begin(term, other))
        : begin(term, term.primary());
  }

  private CompletionStage<?> begin(Term term, String primary) {
    Term next = term.succeeded(primary, term.writer());
    return termRecord
        .change(term, next)
        .thenAccept(
            now -> {
              if (now.term().equals(next)) {
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
    CompletionStage<@Nullable Term> in(Term term);
  }

  private CompletionStage<Term> until(Deadline deadline, Step step) {
    AtomicReference<@Nullable Term> found = new AtomicReference<>();
    return AsyncLoop.whileTrue(
            cache.scheduler(),
            () ->
                look(step)
                    .exceptionallyCompose(
                        failure ->
                            mayPass(failure)
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
                  : CompletableFuture.failedFuture(tooLate());
            });
  }

  /** Also activates a pending term after its waiting time. */
  private CompletionStage<@Nullable Term> look(Step step) {
    return writerLease
        .trusted()
        .thenCompose(
            trust ->
                trust.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : termRecord
                        .look()
                        .thenCompose(
                            now ->
                                now.term().active()
                                    ? step.in(now.term())
                                    : CompletableFuture.completedFuture(null)));
  }

  private QuorumUnavailableException tooLate() {
    return new QuorumUnavailableException(
        cache.definition().name(),
        SiteResponses.notAsked(cache.definition().sites(), "the requested term did not begin"));
  }

  private static boolean mayPass(Throwable failure) {
    Throwable why = CompletionCause.of(failure);
    return why instanceof QuorumUnavailableException
        || why instanceof TermRecord.NotKnownException
        || why instanceof NoSuchElementException;
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    cache.scheduler().after(PAUSE_NANOS, () -> over.complete(true));
    return over;
  }
}
