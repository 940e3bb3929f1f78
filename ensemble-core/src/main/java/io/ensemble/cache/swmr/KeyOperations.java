package io.ensemble.cache.swmr;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.cache.swmr.copy.KeyCall.KeyCallResult;
import io.ensemble.cache.swmr.copy.KnownVersions;
import io.ensemble.primary.KnownCopies;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermContext;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.concurrent.CompletionStage;

/**
 * Performs operations on the stores of a cache, among the voters of the operation's term.
 *
 * @param copiesFirst whether a majority must hold a write before the primary shows it
 * @param termRecord say whether a key may be recovered into a term at a moment
 * @param knownVersions the known entry versions of other sites
 * @param responseListener called after each operation with whether the primary answered
 */
record KeyOperations(
    VoterSets voterSets,
    boolean copiesFirst,
    TermRecord termRecord,
    KnownVersions knownVersions,
    PrimaryResponseListener responseListener) {

  KeyOperations(
      TermRecord termRecord, boolean copiesFirst, PrimaryResponseListener responseListener) {
    this(
        termRecord.voterSets(),
        copiesFirst,
        termRecord,
        new KnownVersions(termRecord.voterSets().fullContext().scheduler()),
        responseListener);
  }

  /** Receives whether the primary of a term answered an operation on a key. */
  interface PrimaryResponseListener {
    void recordResponse(Term term, boolean isAnswered, Bytes key);
  }

  TermContext contextOf(Term term) {
    return term.setting(voterSets.contextOf(term).definition().sites(), copiesFirst);
  }

  /** The stage fails only with an exception thrown before anything was written. */
  <R> CompletionStage<KeyCallResult<R>> call(
      Bytes key, Term term, PrimaryOperation<Payload, R> operation, Deadline limit) {
    return call(key, term, operation, openStores(term, limit), limit);
  }

  /**
   * A write that uses the known entry versions of the other sites, and records the versions that it
   * leaves there. If the primary is asked first, no call waits for other sites, and nothing is
   * recorded.
   */
  <R> CompletionStage<KeyCallResult<R>> write(
      Bytes key,
      Term term,
      Update<Payload, R> update,
      SequenceGenerator sequenceGenerator,
      Deadline limit) {
    TermContext termContext = contextOf(term);
    StoreSet storeSet = openStores(term, limit);
    KnownCopies<Payload> knownCopies = knownVersions.of(key, term.epoch(), storeSet);
    return call(
            key,
            term,
            PrimaryOperation.write(termContext, update, sequenceGenerator, knownCopies),
            storeSet,
            limit)
        .thenApply(
            callResult -> {
              if (!(callResult.outcome() instanceof PrimaryOutcome.Done<Payload, R> done)) {
                knownVersions.forget(key);
              } else if (copiesFirst && done.wrote()) {
                knownVersions.learn(key, done.copy().mark(), storeSet, termContext.primary());
              }
              return callResult;
            });
  }

  private StoreSet openStores(Term term, Deadline limit) {
    return StoreSet.of(voterSets.contextOf(term).stores(), limit);
  }

  private <R> CompletionStage<KeyCallResult<R>> call(
      Bytes key,
      Term term,
      PrimaryOperation<Payload, R> operation,
      StoreSet storeSet,
      Deadline limit) {
    EngineContext cache = voterSets.contextOf(term);
    return new KeyCall<>(
            cache.scheduler(),
            cache.definition().sites(),
            key,
            operation,
            storeSet,
            contextOf(term).primary(),
            () -> mayRecover(term),
            site -> voterSets.missed(cache, site, key),
            limit)
        .start()
        .thenApply(
            callResult -> {
              responseListener.recordResponse(term, callResult.primaryHeard(), key);
              return callResult;
            });
  }

  /** A write held by a majority before it is visible is not lost, and so cannot come back. */
  private boolean mayRecover(Term term) {
    return copiesFirst || termRecord.mayRecover(term);
  }

  /**
   * Recovers a key; returns whether that was possible. Reads the record if the lease on the term
   * has expired.
   */
  CompletionStage<Boolean> recover(Bytes key, Term term) {
    return term.isRecovered() || mayRecover(term)
        ? recoverNow(key, term)
        : termRecord
            .readLatest()
            .handle((leasedTerm, failure) -> failure)
            .thenCompose(failure -> recoverNow(key, term));
  }

  private CompletionStage<Boolean> recoverNow(Bytes key, Term term) {
    long limit = voterSets.fullContext().scheduler().nanos() + 2 * KeyCall.REQUEST_NANOS;
    return call(key, term, PrimaryOperation.recover(contextOf(term)), new Deadline(limit))
        .thenApply(callResult -> callResult.outcome() instanceof PrimaryOutcome.Done);
  }
}
