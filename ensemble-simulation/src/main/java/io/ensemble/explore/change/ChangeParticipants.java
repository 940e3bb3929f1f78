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

    /** The generation of the new stores that the client uses, once it follows the change. */
    int stores;

    /**
     * Whether, as far as the client has read, the configuration that it follows to serves and takes
     * keys over.
     */
    boolean joins;

    /** The progress of the client's call there. */
    Takeover takeover = Takeover.NONE;

    /** The value that it has read in the former configuration. */
    @Nullable Integer former;

    /**
     * The outcome of its call, which it may not return before it holds a lease on the
     * configuration.
     */
    @Nullable Integer answer;

    /** Whether its lease is on the new configuration, whose stores may be lost. */
    boolean trustsFresh;

    /** By site, whether it had no end when the client asked; null when no response is due. */
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

  /** A mover and the copy that it is making. */
  static final class Carrier {
    final int index;
    ChangeStateMachine course;
    int stores;
    boolean dead;

    /** Whether it has read the value to put; the value is then in {@link #value}. */
    boolean carries;

    /** Whether it takes the value over instead of writing a draft of it. */
    boolean joins;

    @Nullable Integer value;

    /** How many removals it has made, where the former configuration ends by removal. */
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
