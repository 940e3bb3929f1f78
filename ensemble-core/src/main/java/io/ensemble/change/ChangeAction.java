package io.ensemble.change;

import java.util.Set;

/** The next action of a mover. Each action may be repeated, whole or in part, without harm. */
public sealed interface ChangeAction {

  /** Create the new stores that the record names. The names are not known to any other process. */
  record Make() implements ChangeAction {}

  /**
   * Bring every key in every new store to the state that the cache holds.
   *
   * @param last whether the former configuration has ended, so that the copy must be complete and
   *     remains correct
   */
  record Copy(boolean last) implements ChangeAction {}

  /**
   * Take over every key that the former configuration holds or of which the new stores hold a seed.
   */
  record TakeOver() implements ChangeAction {}

  /** Write the end mark of the configuration at these sites, by index. */
  record Seal(Set<Integer> sites) implements ChangeAction {}

  /**
   * Write the end mark of their configuration into the stores that a restarted change has
   * abandoned, wherever these stores still exist.
   */
  record Fence() implements ChangeAction {}

  /**
   * Copy into the new stores the data that the abandoned stores, as far as they still exist,
   * accepted while they served.
   */
  record Salvage() implements ChangeAction {}

  /** Wait until this time. */
  record AwaitLeaseExpiry(long untilNanos) implements ChangeAction {}

  /** Take the change to {@code step}, by compare-and-set of the record. */
  record Advance(ChangePhase step) implements ChangeAction {}

  /** Remove the stores that the change lists as obsolete. */
  record Remove(Set<ObsoleteStore> remains) implements ChangeAction {}

  /**
   * Take the finished change out of the record, by compare-and-set. While stores are left, the
   * change stays in the record and lists only these stores.
   */
  record Finish(Set<ObsoleteStore> left) implements ChangeAction {}
}
