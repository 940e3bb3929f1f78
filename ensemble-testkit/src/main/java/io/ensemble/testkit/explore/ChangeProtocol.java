package io.ensemble.testkit.explore;

import io.ensemble.change.ChangeRules;
import io.ensemble.change.TakeoverRules;
import io.ensemble.trust.TrustRules;

/** The rules that an exploration of a change drives: the production ones, or ones with a bug. */
public interface ChangeProtocol {

  /** The production rules, with a lease of one tick. */
  ChangeProtocol PRODUCTION = new ChangeProtocol() {};

  /** A lease lasts one tick of the one clock that there is. */
  TrustRules LEASE = new TrustRules(1, 0);

  /** What clients rely on. */
  default TrustRules trust() {
    return LEASE;
  }

  /** What movers rely on. */
  default ChangeRules change() {
    return new ChangeRules(LEASE);
  }

  /** What clients and movers rely on while keys are taken over. */
  default TakeoverRules takeover() {
    return TakeoverRules.STANDARD;
  }

  /** Whether a read leaves what it found in the former configuration where it is. */
  default boolean readsInPassing() {
    return false;
  }

  /** Whether removed keys are forgotten while others are taken over. */
  default boolean forgetsWhileJoint() {
    return false;
  }

  /**
   * Whether the former configuration is not ended, but its stores are removed, one after the other,
   * and what is left is copied after each, until no majority of them is left.
   */
  default boolean closesByRemoval() {
    return false;
  }
}
