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
 * Performs operations on the stores of a cache, among those that count in the operation's term.
 *
 * @param copiesFirst whether a majority must hold a write before the primary shows it
 * @param terms say who counts in a term
 * @param hearing told after each operation whether the primary answered
 */
record KeyCalls(OpenCache cache, boolean copiesFirst, Terms terms, Hearing hearing) {

  /** Learns whether the primary of a term answered an operation on a key. */
  interface Hearing {
    void heard(Term term, boolean heard, Bytes key);
  }

  private OpenCache counting(Term term) {
    return terms.rolls().of(term);
  }

  Setting setting(Term term) {
    return term.setting(counting(term).definition().sites(), copiesFirst);
  }

  /** The stage fails only with what an update function threw. */
  <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, Operation<Payload, R> operation, Deadline limit) {
    OpenCache counting = counting(term);
    return new KeyCall<>(
            cache.scheduler(),
            counting.definition().sites(),
            key,
            operation,
            Replicas.of(counting.stores(), limit),
            setting(term).primary(),
            limit)
        .start()
        .thenApply(
            ended -> {
              hearing.heard(term, ended.primaryHeard(), key);
              return ended;
            });
  }

  /** Recovers a key; whether that could be done. */
  CompletionStage<Boolean> recover(Bytes key, Term term) {
    long limit = cache.scheduler().nanos() + 2 * KeyCall.REQUEST_NANOS;
    return call(key, term, Operation.recover(setting(term)), new Deadline(limit))
        .thenApply(ended -> ended.outcome() instanceof Outcome.Done);
  }
}
