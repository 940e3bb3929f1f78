package io.ensemble.testkit.linearizability;

import java.util.function.LongSupplier;

/** The remaining budget of a search: points for each object, time for all of them together. */
final class SearchBudget {
  private static final int POINTS_BETWEEN_LOOKS = 1_024;

  private long maxPoints;
  private final long maxNanos;
  private final LongSupplier nanoClock;
  private final long startNanos;
  private long points;
  private long pointsBefore;
  private boolean late;

  SearchBudget(LinearizabilityChecker.Options options) {
    this.maxPoints = options.maxStates();
    this.maxNanos = options.maxTime().toNanos();
    this.nanoClock = options.nanoClock();
    this.startNanos = nanoClock.getAsLong();
  }

  /** Starts the count of points again, for another search. */
  void renew(long maxPoints) {
    this.maxPoints = maxPoints;
    pointsBefore += points;
    points = 0;
  }

  /** Spends one point; returns false if there was none left. */
  boolean spend() {
    if (points % POINTS_BETWEEN_LOOKS == 0 && nanoClock.getAsLong() - startNanos > maxNanos) {
      late = true;
    }
    if (late || points >= maxPoints) {
      return false;
    }
    points++;
    return true;
  }

  /** The bound that was reached when {@link #spend} returned false, in words. */
  String bound() {
    return late
        ? "the time allowed, " + maxNanos / 1_000_000 + " ms"
        : "the states allowed for one key, " + maxPoints;
  }

  long spentInAll() {
    return pointsBefore + points;
  }
}
