package io.ensemble.cache.weak.entry;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/** Decides how a conditional operation changes the entry that it finds. */
public interface ConditionalPlan<R> {

  /**
   * The next entry, or no entry. May be called several times; an exception fails the operation.
   *
   * @param stored null when there is no entry
   */
  PlannedWrite<R> decide(@Nullable Bytes stored);

  /** Whether the write of that stamp took effect, as far as a later entry shows. */
  boolean isIn(Bytes stored, Stamp written);

  /** Whether the entry found has a stamp that the clock rejects, and the consequence. */
  enum Skew {
    /** The clock accepts the stamp, or nothing is to be written. */
    NONE,
    /** The clock rejects the stamp, and nothing is written over the entry. */
    REJECTED,
    /** The clock rejects the stamp, and the key is to be removed: the entry itself is removed. */
    REMOVED
  }

  /**
   * @param entry the entry to write; null for nothing
   * @param seen the stamp of the entry found, or the one that the clock rejects
   * @param dropped how many siblings exceed the bound
   */
  record PlannedWrite<R>(
      @Nullable StampedEntry entry, Stamp seen, @Nullable R result, int dropped, Skew skew) {

    PlannedWrite(@Nullable StampedEntry entry, Stamp seen, @Nullable R result, int dropped) {
      this(entry, seen, result, dropped, Skew.NONE);
    }

    static <R> PlannedWrite<R> nothing(Stamp seen, @Nullable R result) {
      return new PlannedWrite<>(null, seen, result, 0);
    }

    static <R> PlannedWrite<R> tooFarAhead(Stamp rejected, @Nullable R result, boolean isRemoval) {
      return new PlannedWrite<>(
          null, rejected, result, 0, isRemoval ? Skew.REMOVED : Skew.REJECTED);
    }
  }
}
