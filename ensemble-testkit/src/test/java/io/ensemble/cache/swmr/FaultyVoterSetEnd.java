package io.ensemble.cache.swmr;

import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * An engine as an operator's commands use it, with incorrect ways to end a voter set.
 *
 * @param real the engine
 * @param way how it ends a voter set
 */
public record FaultyVoterSetEnd(OpenSwmrCache real, Way way)
    implements DynamicQuorumEngine, RecoverableEngine {

  /** How voter sets end. */
  public enum Way {
    /** The correct way. */
    RIGHT,
    /**
     * The record stays open, so that processes that reach both sites still use the former voter
     * set.
     */
    NOT_CLOSED,
    /** The next voter set counts as filled before its keys were recovered. */
    FILLED_AT_ONCE
  }

  /** Opens the cache as production does, but with {@code termLeaseRules}. */
  public static OpenSwmrCache open(EngineContext cache, TermLeaseRules termLeaseRules) {
    return OpenSwmrCache.open(cache, termLeaseRules);
  }

  /** The leases of production. */
  public static TermLeaseRules leases() {
    return OpenSwmrCache.LEASES;
  }

  /** The term that the process of {@code engine} saw last. */
  public static Optional<Term> known(OpenSwmrCache engine) {
    return engine.known();
  }

  /** Lease rules under which a new term does not wait until the former lease has expired. */
  public static TermLeaseRules withoutWaiting() {
    return new TermLeaseRules(
        leases().leaseNanos(), leases().outwaitNanos() - leases().leaseNanos()) {
      @Override
      public boolean hasOutwaited(long seenNanos, long nowNanos) {
        return true;
      }
    };
  }

  @Override
  public void follow(VoterSet voterSet, Runnable renew) {
    real.follow(voterSet, renew);
  }

  @Override
  public void whenOver(Runnable look) {
    real.whenOver(look);
  }

  @Override
  public CompletionStage<VoterSet> end(
      VoterSet voterSet, SiteStore store, List<String> next, Deadline deadline) {
    return switch (way) {
      case RIGHT -> real.end(voterSet, store, next, deadline);
      case NOT_CLOSED ->
          store
              .read(SwmrKeyLayout.record(voterSet.number()), deadline)
              .thenApply(
                  entry ->
                      entry
                          .map(
                              stored ->
                                  TermCodec.decode(EnvelopeCodec.decode(stored.value()).payload()))
                          .orElse(voterSet.firstTerm()))
              .thenApply((Term last) -> voterSet.succeeded(last, next));
      case FILLED_AT_ONCE ->
          real.end(voterSet, store, next, deadline)
              .thenApply(
                  ended ->
                      next.size() == 1
                          ? ended
                          : new VoterSet(
                              ended.number(), next, ended.epoch(), ended.epoch(), ended.since()));
    };
  }

  @Override
  public CompletionStage<Boolean> hasEnded(VoterSet voterSet, SiteStore store, Deadline deadline) {
    return real.hasEnded(voterSet, store, deadline);
  }

  @Override
  public CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline) {
    return real.hasCounted(number, store, deadline);
  }

  @Override
  public CompletionStage<Void> fill(Deadline deadline) {
    return real.fill(deadline);
  }

  @Override
  public CompletionStage<Long> filled(String site, Deadline deadline) {
    return real.filled(site, deadline);
  }

  @Override
  public CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline) {
    return real.refill(site, fresh, deadline);
  }
}
