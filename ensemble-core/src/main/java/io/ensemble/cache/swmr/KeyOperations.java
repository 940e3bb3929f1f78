package io.ensemble.cache.swmr;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.cache.swmr.copy.KeyCall.Ended;
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
 * @param terms say whether a key may be recovered into a term at a moment
 * @param versions the known entry versions of other sites
 * @param hearing called after each operation with whether the primary answered
 */
record KeyOperations(
    VoterSets rolls,
    boolean copiesFirst,
    TermRecord terms,
    KnownVersions versions,
    Hearing hearing) {

  KeyOperations(TermRecord terms, boolean copiesFirst, Hearing hearing) {
    this(
        terms.rolls(),
        copiesFirst,
        terms,
        new KnownVersions(terms.rolls().whole().scheduler()),
        hearing);
  }

  /** Receives whether the primary of a term answered an operation on a key. */
  interface Hearing {
    void heard(Term term, boolean heard, Bytes key);
  }

  TermContext setting(Term term) {
    return term.setting(rolls.of(term).definition().sites(), copiesFirst);
  }

  /** The stage fails only with an exception thrown before anything was written. */
  <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, PrimaryOperation<Payload, R> operation, Deadline limit) {
    return call(key, term, operation, replicas(term, limit), limit);
  }

  /**
   * A write that uses the known entry versions of the other sites, and records the versions that it
   * leaves there. If the primary is asked first, no call waits for other sites, and nothing is
   * recorded.
   */
  <R> CompletionStage<Ended<R>> write(
      Bytes key,
      Term term,
      Update<Payload, R> update,
      SequenceGenerator sequenceGenerator,
      Deadline limit) {
    TermContext setting = setting(term);
    StoreSet replicas = replicas(term, limit);
    KnownCopies<Payload> known = versions.of(key, term.epoch(), replicas);
    return call(
            key,
            term,
            PrimaryOperation.write(setting, update, sequenceGenerator, known),
            replicas,
            limit)
        .thenApply(
            ended -> {
              if (!(ended.outcome() instanceof PrimaryOutcome.Done<Payload, R> done)) {
                versions.forget(key);
              } else if (copiesFirst && done.wrote()) {
                versions.learn(key, done.copy().mark(), replicas, setting.primary());
              }
              return ended;
            });
  }

  private StoreSet replicas(Term term, Deadline limit) {
    return StoreSet.of(rolls.of(term).stores(), limit);
  }

  private <R> CompletionStage<Ended<R>> call(
      Bytes key,
      Term term,
      PrimaryOperation<Payload, R> operation,
      StoreSet replicas,
      Deadline limit) {
    EngineContext cache = rolls.of(term);
    return new KeyCall<>(
            cache.scheduler(),
            cache.definition().sites(),
            key,
            operation,
            replicas,
            setting(term).primary(),
            () -> mayRecover(term),
            site -> rolls.missed(cache, site, key),
            limit)
        .start()
        .thenApply(
            ended -> {
              hearing.heard(term, ended.primaryHeard(), key);
              return ended;
            });
  }

  /** A write held by a majority before it is visible is not lost, and so cannot come back. */
  private boolean mayRecover(Term term) {
    return copiesFirst || terms.mayRecover(term);
  }

  /**
   * Recovers a key; returns whether that was possible. Reads the record if the lease on the term
   * has expired.
   */
  CompletionStage<Boolean> recover(Bytes key, Term term) {
    return term.isRecovered() || mayRecover(term)
        ? recoverNow(key, term)
        : terms
            .look()
            .handle((seen, failure) -> failure)
            .thenCompose(failure -> recoverNow(key, term));
  }

  private CompletionStage<Boolean> recoverNow(Bytes key, Term term) {
    long limit = rolls.whole().scheduler().nanos() + 2 * KeyCall.REQUEST_NANOS;
    return call(key, term, PrimaryOperation.recover(setting(term)), new Deadline(limit))
        .thenApply(ended -> ended.outcome() instanceof PrimaryOutcome.Done);
  }
}
