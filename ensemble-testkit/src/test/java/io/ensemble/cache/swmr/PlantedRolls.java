package io.ensemble.cache.swmr;

import io.ensemble.cache.Enrolled;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Recoverable;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Roll;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * An engine as an operator's commands use it, with wrong ways to end a roll.
 *
 * @param real the engine
 * @param way how it ends a roll
 */
public record PlantedRolls(OpenSwmrCache real, Way way) implements Enrolled, Recoverable {

  /** How rolls end. */
  public enum Way {
    /** As they should. */
    RIGHT,
    /** The record stays open, so that the former roll goes on where both sites are reached. */
    NOT_CLOSED,
    /** The next roll passes for filled before its keys were recovered. */
    FILLED_AT_ONCE
  }

  /** As production opens it, but for the leases. */
  public static OpenSwmrCache open(OpenCache cache, Leases leases) {
    return OpenSwmrCache.open(cache, leases);
  }

  /** The leases of production. */
  public static Leases leases() {
    return OpenSwmrCache.LEASES;
  }

  /** What the process of {@code engine} knows of the term. */
  public static Optional<Term> known(OpenSwmrCache engine) {
    return engine.known();
  }

  /** Leases that nobody outwaits who begins a term. */
  public static Leases withoutWaiting() {
    return new Leases(leases().leaseNanos(), leases().outwaitNanos() - leases().leaseNanos()) {
      @Override
      public boolean hasOutwaited(long seenNanos, long nowNanos) {
        return true;
      }
    };
  }

  @Override
  public void follow(Roll roll, Runnable renew) {
    real.follow(roll, renew);
  }

  @Override
  public void whenOver(Runnable look) {
    real.whenOver(look);
  }

  @Override
  public CompletionStage<Roll> end(
      Roll roll, SiteStore store, List<String> next, Deadline deadline) {
    return switch (way) {
      case RIGHT -> real.end(roll, store, next, deadline);
      case NOT_CLOSED ->
          store
              .read(Keys.record(roll.number()), deadline)
              .thenApply(
                  entry ->
                      entry
                          .map(
                              stored ->
                                  TermCodec.decode(EnvelopeCodec.decode(stored.value()).payload()))
                          .orElse(roll.firstTerm()))
              .thenApply((Term last) -> roll.succeeded(last, next));
      case FILLED_AT_ONCE ->
          real.end(roll, store, next, deadline)
              .thenApply(
                  ended ->
                      next.size() == 1
                          ? ended
                          : new Roll(
                              ended.number(), next, ended.epoch(), ended.epoch(), ended.since()));
    };
  }

  @Override
  public CompletionStage<Boolean> hasEnded(Roll roll, SiteStore store, Deadline deadline) {
    return real.hasEnded(roll, store, deadline);
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
