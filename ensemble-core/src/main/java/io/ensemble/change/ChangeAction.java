package io.ensemble.change;

import java.util.Set;

/** What a mover is to do next. Each may be done again, whole or in part, without harm. */
public sealed interface ChangeAction {

  /** Make the new stores that the record names; nobody else knows them. */
  record Make() implements ChangeAction {}

  /**
   * Bring every key in every new store to what the cache holds.
   *
   * @param last whether the cache serves no more, so that it must be complete and stays right
   */
  record Copy(boolean last) implements ChangeAction {}

  /** Take over every key that the former configuration holds, or of which there is a draft. */
  record TakeOver() implements ChangeAction {}

  /** Put the configuration's end at these sites, by index. */
  record Seal(Set<Integer> sites) implements ChangeAction {}

  /**
   * Put the end of their configuration into the stores that a restarted change has abandoned,
   * wherever they are there.
   */
  record Fence() implements ChangeAction {}

  /**
   * Bring into the new stores what those that the change has abandoned, and that are left, have of
   * the time when they served.
   */
  record Salvage() implements ChangeAction {}

  /** Wait until then. */
  record Outwait(long untilNanos) implements ChangeAction {}

  /** Take the change to {@code step}, by compare-and-set of the record. */
  record Advance(ChangePhase step) implements ChangeAction {}

  /** Remove the stores that the change names as remains. */
  record Remove(Set<ObsoleteStore> remains) implements ChangeAction {}

  /**
   * Take the change out of the record, by compare-and-set: it is over. While stores are left it
   * stays, with nothing but them.
   */
  record Finish(Set<ObsoleteStore> left) implements ChangeAction {}
}
