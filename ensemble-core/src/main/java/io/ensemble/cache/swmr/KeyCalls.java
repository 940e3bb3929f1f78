package io.ensemble.cache.swmr;

import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.call.Replicas;
import io.ensemble.cache.swmr.KeyCall.Ended;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Setting;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.concurrent.CompletionStage;

/**
 * Performs operations on the stores of a cache.
 *
 * @param copiesFirst whether a majority must hold a write before the primary shows it
 * @param terms say whether a key may be recovered into a term at a moment
 * @param hearing told after each operation whether the primary answered
 */
record KeyCalls(OpenCache cache, boolean copiesFirst, Terms terms, Hearing hearing) {

  /** Learns whether the primary of a term answered an operation on a key. */
  interface Hearing {
    void heard(Term term, boolean heard, Bytes key);
  }

  Setting setting(Term term) {
    return term.setting(cache.definition().sites(), copiesFirst);
  }

  /** The stage fails only with what an update function threw. */
  <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, Operation<Payload, R> operation, Deadline limit) {
    return new KeyCall<>(
            cache.scheduler(),
            cache.definition().sites(),
            key,
            operation,
            Replicas.of(cache.stores(), limit),
            setting(term).primary(),
            () -> mayRecover(term),
            limit)
        .start()
        .thenApply(
            ended -> {
              hearing.heard(term, ended.primaryHeard(), key);
              return ended;
            });
  }

  /** A write that a majority holds before it is seen is not lost, and so cannot come back. */
  private boolean mayRecover(Term term) {
    return copiesFirst || terms.mayRecover(term);
  }

  /** Recovers a key; whether that could be done. Looks at the record where trust has run out. */
  CompletionStage<Boolean> recover(Bytes key, Term term) {
    return term.isRecovered() || mayRecover(term)
        ? recoverNow(key, term)
        : terms
            .look()
            .handle((seen, failure) -> failure)
            .thenCompose(failure -> recoverNow(key, term));
  }

  private CompletionStage<Boolean> recoverNow(Bytes key, Term term) {
    long limit = cache.scheduler().nanos() + 2 * KeyCall.REQUEST_NANOS;
    return call(key, term, Operation.recover(setting(term)), new Deadline(limit))
        .thenApply(ended -> ended.outcome() instanceof Outcome.Done);
  }
}
