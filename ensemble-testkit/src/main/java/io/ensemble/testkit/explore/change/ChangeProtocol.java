package io.ensemble.testkit.explore.change;

import io.ensemble.change.ChangeRules;
import io.ensemble.change.KeyMigrationRules;
import io.ensemble.lease.LeaseRules;

/** The rules that an exploration of a change drives: the production ones, or ones with a bug. */
public interface ChangeProtocol {

  /** The production rules, with a lease of one tick. */
  ChangeProtocol PRODUCTION = new ChangeProtocol() {};

  /** A lease lasts one tick of the one clock that there is. */
  LeaseRules LEASE = new LeaseRules(1, 0);

  /** The production rules, with a lease of two ticks, so that trust can be renewed in time. */
  ChangeProtocol LASTING =
      new ChangeProtocol() {
        @Override
        public LeaseRules trust() {
          return LONG_LEASE;
        }

        @Override
        public ChangeRules change() {
          return new Ticking(LONG_LEASE);
        }
      };

  /** A lease that lasts two ticks. */
  LeaseRules LONG_LEASE = new LeaseRules(2, 0);

  /** What clients rely on. */
  default LeaseRules trust() {
    return LEASE;
  }

  /** What movers rely on. */
  default ChangeRules change() {
    return new Ticking();
  }

  /**
   * The production rules, in ticks: who goes by the record goes by the present one here, so that an
   * abandoned configuration is outwaited in a lease.
   */
  class Ticking extends ChangeRules {

    /** Rules of one tick. */
    public Ticking() {
      this(LEASE);
    }

    /** Rules of another lease. */
    public Ticking(LeaseRules trust) {
      super(trust);
    }

    @Override
    public long abandonNanos() {
      return outwaitNanos();
    }
  }

  /**
   * Whether a client trusts a site of a configuration that takes keys over again without a look at
   * the record.
   */
  default boolean trustsWithoutTheRecord() {
    return false;
  }

  /** Whether a restarted change leaves alone what is left of the stores that it has abandoned. */
  default boolean salvagesNothing() {
    return false;
  }

  /** What clients and movers rely on while keys are taken over. */
  default KeyMigrationRules takeover() {
    return KeyMigrationRules.STANDARD;
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
