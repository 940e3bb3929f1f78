package io.ensemble.cache.weak.entry;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/** What a conditional operation makes of the entry that it finds. */
public interface ConditionalPlan<R> {

  /**
   * The next entry, or that there is none. Called once or several times; what it throws fails the
   * operation.
   *
   * @param found null when there is nothing
   */
  Next<R> decide(@Nullable Bytes found);

  /** Whether the write of that stamp took effect, as far as an entry tells that came after it. */
  boolean isIn(Bytes found, Stamp written);

  /** Whether what was found has a stamp that the clock rejects, and what that means. */
  enum Skew {
    /** It has not, or nothing is to be written. */
    NONE,
    /** It has, and nothing is written over it. */
    REJECTED,
    /** It has, and the key is to be removed: the entry itself is. */
    REMOVED
  }

  /**
   * @param entry what to write; null for nothing
   * @param seen the stamp of what was found, or the one that the clock rejects
   * @param dropped how many siblings were too many
   */
  record Next<R>(
      @Nullable StampedEntry entry, Stamp seen, @Nullable R result, int dropped, Skew skew) {

    Next(@Nullable StampedEntry entry, Stamp seen, @Nullable R result, int dropped) {
      this(entry, seen, result, dropped, Skew.NONE);
    }

    static <R> Next<R> nothing(Stamp seen, @Nullable R result) {
      return new Next<>(null, seen, result, 0);
    }

    static <R> Next<R> tooFarAhead(Stamp rejected, @Nullable R result, boolean removes) {
      return new Next<>(null, rejected, result, 0, removes ? Skew.REMOVED : Skew.REJECTED);
    }
  }
}
