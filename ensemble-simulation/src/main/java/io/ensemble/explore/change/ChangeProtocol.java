package io.ensemble.explore.change;

import io.ensemble.change.ChangeRules;
import io.ensemble.change.KeyMigrationRules;
import io.ensemble.lease.ConfigurationLeaseRules;

/**
 * The rules that an exploration of a change drives: the production rules, or rules with a planted
 * bug.
 */
public interface ChangeProtocol {

  /** The production rules, with a lease of one tick. */
  ChangeProtocol PRODUCTION = new ChangeProtocol() {};

  /** A lease of one tick of the single clock. */
  ConfigurationLeaseRules LEASE = new ConfigurationLeaseRules(1, 0);

  /**
   * The production rules, with a lease of two ticks, so that a client can renew its lease in time.
   */
  ChangeProtocol LASTING =
      new ChangeProtocol() {
        @Override
        public ConfigurationLeaseRules leaseRules() {
          return LONG_LEASE;
        }

        @Override
        public ChangeRules changeRules() {
          return new TickRules(LONG_LEASE);
        }
      };

  /** A lease that lasts two ticks. */
  ConfigurationLeaseRules LONG_LEASE = new ConfigurationLeaseRules(2, 0);

  /** The lease rules of clients. */
  default ConfigurationLeaseRules leaseRules() {
    return LEASE;
  }

  /** The rules of movers. */
  default ChangeRules changeRules() {
    return new TickRules();
  }

  /**
   * The production rules, in ticks. In the exploration a client that reads the record always reads
   * the present one, so one lease time is enough to wait until an abandoned configuration is
   * unused.
   */
  class TickRules extends ChangeRules {

    /** Rules of one tick. */
    public TickRules() {
      this(LEASE);
    }

    /** Rules of another lease. */
    public TickRules(ConfigurationLeaseRules leaseRules) {
      super(leaseRules);
    }

    @Override
    public long abandonNanos() {
      return outwaitNanos();
    }
  }

  /** Whether a client renews its lease on a site without a read of the record, during cutover. */
  default boolean renewsWithoutRecord() {
    return false;
  }

  /** Whether a restarted change ignores the remains of the stores that it has abandoned. */
  default boolean ignoresAbandonedStores() {
    return false;
  }

  /** The rules of clients and movers while keys are taken over. */
  default KeyMigrationRules takeover() {
    return KeyMigrationRules.STANDARD;
  }

  /** Whether a read leaves the value that it found in the former configuration where it is. */
  default boolean readsWithoutTakeover() {
    return false;
  }

  /** Whether removed keys are purged while others are taken over. */
  default boolean purgesDuringCutover() {
    return false;
  }

  /**
   * Whether the former configuration is not sealed. Instead its stores are removed one after the
   * other, and the rest is copied after each removal, until no majority of the stores is left.
   */
  default boolean closesByRemoval() {
    return false;
  }
}
