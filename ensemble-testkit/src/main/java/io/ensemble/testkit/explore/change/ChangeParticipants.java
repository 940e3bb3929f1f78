package io.ensemble.testkit.explore.change;

import io.ensemble.change.ChangeStateMachine;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterOperation;
import org.jspecify.annotations.Nullable;

/** Who takes part in a change. Copied, never shared between states. */
final class ChangeParticipants {

  private ChangeParticipants() {}

  /** What comes next in a call of a key that is perhaps to be taken over. */
  enum Takeover {
    NONE,
    READS_FORMER,
    TAKES_OVER,
    CALLS,
    ANSWERS
  }

  /** A client of the cache. */
  static final class User {
    final int index;
    final int firstCall;
    ConfigurationLease trust;
    int next;
    int asks;
    boolean follows;

    /** Which new stores the client uses, once it follows. */
    int stores;

    /** Whether it follows to a configuration that takes keys over, as far as it knows. */
    boolean joins;

    /** How far it has come in a call there. */
    Takeover takeover = Takeover.NONE;

    /** What it has read in the former configuration. */
    @Nullable Integer former;

    /** What its call has come to, which it may not tell before it trusts the configuration. */
    @Nullable Integer answer;

    /** Whether its trust is in the new configuration, of which stores may be lost. */
    boolean trustsFresh;

    /** When the client asked, and which sites had no end then; null when no answer is due. */
    boolean @Nullable [] heard;

    long asked;
    @Nullable RegisterOperation<Integer, Integer> operation;

    User(int index, int firstCall, int asks, ConfigurationLease trust) {
      this.index = index;
      this.firstCall = firstCall;
      this.asks = asks;
      this.trust = trust;
    }

    User copy() {
      User copy = new User(index, firstCall, asks, trust.copy());
      copy.next = next;
      copy.follows = follows;
      copy.stores = stores;
      copy.joins = joins;
      copy.takeover = takeover;
      copy.former = former;
      copy.answer = answer;
      copy.trustsFresh = trustsFresh;
      copy.heard = heard;
      copy.asked = asked;
      copy.operation = operation == null ? null : operation.copy();
      return copy;
    }

    int call() {
      return firstCall + next;
    }

    long digest(long now) {
      long flags = next * 64L + asks * 4L + (follows ? 1 : 0) + (heard == null ? 0 : 2);
      long takes = (stores * 8L + takeover.ordinal()) * 2 + (joins ? 1 : 0);
      flags = RegisterDigest.of(flags, RegisterDigest.of(takes, former == null ? -1 : former));
      if (trustsFresh) {
        flags = RegisterDigest.of(flags, answer == null ? -1 : answer);
        flags = RegisterDigest.of(flags, freshTrust(now));
      }
      return RegisterDigest.of(
          RegisterDigest.of(flags, heard == null ? 0 : now - asked),
          operation == null ? 0 : operation.digest());
    }

    private long freshTrust(long now) {
      long hash = 0;
      boolean[] due = heard;
      for (int site = 0; site < trust.sites(); site++) {
        hash =
            RegisterDigest.of(
                hash, trust.digest(site, now) * 2 + (due != null && due[site] ? 1 : 0));
      }
      return hash;
    }

    long digest(int site, long now) {
      if (trustsFresh) {
        return 0;
      }
      boolean[] due = heard;
      return RegisterDigest.of(
          trust.digest(site, now) * 2 + (due != null && due[site] ? 1 : 0),
          operation == null ? 0 : operation.digest(site));
    }
  }

  /** A mover, and the copy that it has in hand. */
  static final class Carrier {
    final int index;
    ChangeStateMachine course;
    int stores;
    boolean dead;

    /** Whether it has read what it is to put; then {@link #value}. */
    boolean carries;

    /** Whether it takes over what it carries, instead of drafting it. */
    boolean joins;

    @Nullable Integer value;

    /** How many removals it has made, where it ends by removal. */
    int removals;

    Carrier(int index, ChangeStateMachine course) {
      this.index = index;
      this.course = course;
    }

    Carrier copy() {
      Carrier copy = new Carrier(index, course.copy());
      copy.stores = stores;
      copy.dead = dead;
      copy.carries = carries;
      copy.joins = joins;
      copy.value = value;
      copy.removals = removals;
      return copy;
    }

    long digest(long now) {
      long flags =
          stores * 64L + removals * 8L + (dead ? 1 : 0) + (carries ? 2 : 0) + (joins ? 4 : 0);
      return RegisterDigest.of(
          RegisterDigest.of(flags, value == null ? -1 : value), dead ? 0 : course.digest(now));
    }
  }
}
