package io.ensemble.cache.swmr;

import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.call.Replicas;
import io.ensemble.cache.swmr.KeyCall.Ended;
import io.ensemble.primary.Known;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Setting;
import io.ensemble.primary.Term;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.concurrent.CompletionStage;

/**
 * Performs operations on the stores of a cache, among those that count in the operation's term.
 *
 * @param copiesFirst whether a majority must hold a write before the primary shows it
 * @param versions what is known of entries at other sites
 * @param hearing told after each operation whether the primary answered
 */
record KeyCalls(Rolls rolls, boolean copiesFirst, KnownVersions versions, Hearing hearing) {

  KeyCalls(Rolls rolls, boolean copiesFirst, Hearing hearing) {
    this(rolls, copiesFirst, new KnownVersions(rolls.whole().scheduler()), hearing);
  }

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
    return call(key, term, operation, replicas(term, limit), limit);
  }

  /**
   * A write, with what is known of the other sites' entries, and learning what it leaves there.
   * Where the primary is asked first nobody waits for that, and nothing is learnt.
   */
  <R> CompletionStage<Ended<R>> write(
      Bytes key, Term term, Update<Payload, R> update, Sequences sequences, Deadline limit) {
    Setting setting = setting(term);
    Replicas replicas = replicas(term, limit);
    Known<Payload> known = versions.of(key, term.epoch(), replicas);
    return call(key, term, Operation.write(setting, update, sequences, known), replicas, limit)
        .thenApply(
            ended -> {
              if (!(ended.outcome() instanceof Outcome.Done<Payload, R> done)) {
                versions.forget(key);
              } else if (copiesFirst && done.wrote()) {
                versions.learn(key, done.copy().mark(), replicas, setting.primary());
              }
              return ended;
            });
  }

  private Replicas replicas(Term term, Deadline limit) {
    return Replicas.of(rolls.of(term).stores(), limit);
  }

  private <R> CompletionStage<Ended<R>> call(
      Bytes key, Term term, Operation<Payload, R> operation, Replicas replicas, Deadline limit) {
    OpenCache cache = rolls.of(term);
    return new KeyCall<>(
            cache.scheduler(),
            cache.definition().sites(),
            key,
            operation,
            replicas,
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
