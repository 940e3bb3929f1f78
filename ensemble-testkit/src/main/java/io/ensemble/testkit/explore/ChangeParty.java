package io.ensemble.testkit.explore;

import io.ensemble.change.Course;
import io.ensemble.register.Digest;
import io.ensemble.register.Operation;
import io.ensemble.trust.ConfigurationTrust;
import org.jspecify.annotations.Nullable;

/** Who takes part in a change. Copied, never shared between states. */
final class ChangeParty {

  private ChangeParty() {}

  /** A client of the cache. */
  static final class User {
    final int index;
    final int firstCall;
    final ConfigurationTrust trust;
    int next;
    int asks;
    boolean follows;

    /** When the client asked, and which sites had no end then; null when no answer is due. */
    boolean @Nullable [] heard;

    long asked;
    @Nullable Operation<Integer, Integer> operation;

    User(int index, int firstCall, int asks, ConfigurationTrust trust) {
      this.index = index;
      this.firstCall = firstCall;
      this.asks = asks;
      this.trust = trust;
    }

    User copy() {
      User copy = new User(index, firstCall, asks, trust.copy());
      copy.next = next;
      copy.follows = follows;
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
      return Digest.of(
          Digest.of(flags, heard == null ? 0 : now - asked),
          operation == null ? 0 : operation.digest());
    }

    long digest(int site, long now) {
      boolean[] due = heard;
      return Digest.of(
          trust.digest(site, now) * 2 + (due != null && due[site] ? 1 : 0),
          operation == null ? 0 : operation.digest(site));
    }
  }

  /** A mover, and the copy that it has in hand. */
  static final class Carrier {
    final int index;
    Course course;
    int stores;
    boolean dead;

    /** Whether it has read what it is to put; then {@link #value}. */
    boolean carries;

    @Nullable Integer value;

    /** How many removals it has made, where it ends by removal. */
    int removals;

    Carrier(int index, Course course) {
      this.index = index;
      this.course = course;
    }

    Carrier copy() {
      Carrier copy = new Carrier(index, course.copy());
      copy.stores = stores;
      copy.dead = dead;
      copy.carries = carries;
      copy.value = value;
      copy.removals = removals;
      return copy;
    }

    long digest(long now) {
      long flags = stores * 64L + removals * 8L + (dead ? 1 : 0) + (carries ? 2 : 0);
      return Digest.of(Digest.of(flags, value == null ? -1 : value), dead ? 0 : course.digest(now));
    }
  }
}
