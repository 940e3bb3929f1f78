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
 * @param hearing told after each operation whether the primary answered
 */
record KeyCalls(Rolls rolls, boolean copiesFirst, Hearing hearing) {

  /** Learns whether the primary of a term answered an operation on a key. */
  interface Hearing {
    void heard(Term term, boolean heard, Bytes key);
  }

  Setting setting(Term term) {
    return term.setting(rolls.of(term).definition().sites(), copiesFirst);
  }

  /** The stage fails only with what an update function threw. */
  <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, Operation<Payload, R> operation, Deadline limit) {
    OpenCache cache = rolls.of(term);
    return new KeyCall<>(
            cache.scheduler(),
            cache.definition().sites(),
            key,
            operation,
            Replicas.of(cache.stores(), limit),
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
    long limit = rolls.whole().scheduler().nanos() + 2 * KeyCall.REQUEST_NANOS;
    return call(key, term, Operation.recover(setting(term)), new Deadline(limit))
        .thenApply(ended -> ended.outcome() instanceof Outcome.Done);
  }
}
