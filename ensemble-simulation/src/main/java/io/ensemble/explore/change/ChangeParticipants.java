package io.ensemble.explore.change;

import io.ensemble.change.ChangeStateMachine;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterOperation;
import org.jspecify.annotations.Nullable;

/** The participants of a change. Copied, never shared between states. */
final class ChangeParticipants {

  private ChangeParticipants() {}

  /** The next step of a call for a key that may have to be taken over. */
  enum TakeoverStep {
    NONE,
    READS_FORMER,
    TAKES_OVER,
    CALLS,
    ANSWERS
  }

  /** A client of the cache. */
  static final class ChangeClient {
    final int index;
    final int firstCall;
    ConfigurationLease lease;
    int next;
    int remainingRenewals;
    boolean followsChange;

    /** The generation of the new stores that the client uses, once it follows the change. */
    int stores;

    /**
     * Whether, as far as the client has read, the configuration that it follows to serves and takes
     * keys over.
     */
    boolean joinsCutover;

    /** The progress of the client's call there. */
    TakeoverStep takeover = TakeoverStep.NONE;

    /** The value that it has read in the former configuration. */
    @Nullable Integer former;

    /**
     * The outcome of its call, which it may not return before it holds a lease on the
     * configuration.
     */
    @Nullable Integer answer;

    /** Whether its lease is on the new configuration, whose stores may be lost. */
    boolean leasesFresh;

    /** By site, whether it had no end when the client asked; null when no response is due. */
    boolean @Nullable [] responseBySite;

    long requestTick;
    @Nullable RegisterOperation<Integer, Integer> operation;

    ChangeClient(int index, int firstCall, int asks, ConfigurationLease lease) {
      this.index = index;
      this.firstCall = firstCall;
      this.remainingRenewals = asks;
      this.lease = lease;
    }

    ChangeClient copy() {
      ChangeClient copy = new ChangeClient(index, firstCall, remainingRenewals, lease.copy());
      copy.next = next;
      copy.followsChange = followsChange;
      copy.stores = stores;
      copy.joinsCutover = joinsCutover;
      copy.takeover = takeover;
      copy.former = former;
      copy.answer = answer;
      copy.leasesFresh = leasesFresh;
      copy.responseBySite = responseBySite;
      copy.requestTick = requestTick;
      copy.operation = operation == null ? null : operation.copy();
      return copy;
    }

    int call() {
      return firstCall + next;
    }

    long digest(long now) {
      long flags =
          next * 64L
              + remainingRenewals * 4L
              + (followsChange ? 1 : 0)
              + (responseBySite == null ? 0 : 2);
      long takes = (stores * 8L + takeover.ordinal()) * 2 + (joinsCutover ? 1 : 0);
      flags = RegisterDigest.of(flags, RegisterDigest.of(takes, former == null ? -1 : former));
      if (leasesFresh) {
        flags = RegisterDigest.of(flags, answer == null ? -1 : answer);
        flags = RegisterDigest.of(flags, digestOfFreshLease(now));
      }
      return RegisterDigest.of(
          RegisterDigest.of(flags, responseBySite == null ? 0 : now - requestTick),
          operation == null ? 0 : operation.digest());
    }

    private long digestOfFreshLease(long now) {
      long hash = 0;
      boolean[] due = responseBySite;
      for (int site = 0; site < lease.sites(); site++) {
        hash =
            RegisterDigest.of(
                hash, lease.digest(site, now) * 2 + (due != null && due[site] ? 1 : 0));
      }
      return hash;
    }

    long digest(int site, long now) {
      if (leasesFresh) {
        return 0;
      }
      boolean[] due = responseBySite;
      return RegisterDigest.of(
          lease.digest(site, now) * 2 + (due != null && due[site] ? 1 : 0),
          operation == null ? 0 : operation.digest(site));
    }
  }

  /** A mover and the copy that it is making. */
  static final class SimulatedMover {
    final int index;
    ChangeStateMachine stateMachine;
    int stores;
    boolean isDead;

    /** Whether it has read the value to put; the value is then in {@link #value}. */
    boolean hasReadValue;

    /** Whether it takes the value over instead of writing a draft of it. */
    boolean joins;

    @Nullable Integer value;

    /** How many removals it has made, where the former configuration ends by removal. */
    int removals;

    SimulatedMover(int index, ChangeStateMachine stateMachine) {
      this.index = index;
      this.stateMachine = stateMachine;
    }

    SimulatedMover copy() {
      SimulatedMover copy = new SimulatedMover(index, stateMachine.copy());
      copy.stores = stores;
      copy.isDead = isDead;
      copy.hasReadValue = hasReadValue;
      copy.joins = joins;
      copy.value = value;
      copy.removals = removals;
      return copy;
    }

    long digest(long now) {
      long flags =
          stores * 64L
              + removals * 8L
              + (isDead ? 1 : 0)
              + (hasReadValue ? 2 : 0)
              + (joins ? 4 : 0);
      return RegisterDigest.of(
          RegisterDigest.of(flags, value == null ? -1 : value),
          isDead ? 0 : stateMachine.digest(now));
    }
  }
}
