package io.ensemble.change;

import java.util.Set;

/** What a mover is to do next. Each may be done again, whole or in part, without harm. */
public sealed interface Errand {

  /** Make the new stores that the record names; nobody else knows them. */
  record Make() implements Errand {}

  /**
   * Bring every key in every new store to what the cache holds.
   *
   * @param last whether the cache serves no more, so that it must be complete and stays right
   */
  record Copy(boolean last) implements Errand {}

  /** Take over every key that the former configuration holds, or of which there is a draft. */
  record TakeOver() implements Errand {}

  /** Put the configuration's end at these sites, by index. */
  record Seal(Set<Integer> sites) implements Errand {}

  /**
   * Put the end of their configuration into the stores that a restarted change has abandoned,
   * wherever they are there.
   */
  record Fence() implements Errand {}

  /**
   * Bring into the new stores what those that the change has abandoned, and that are left, have of
   * the time when they served.
   */
  record Salvage() implements Errand {}

  /** Wait until then. */
  record Outwait(long untilNanos) implements Errand {}

  /** Take the change to {@code step}, by compare-and-set of the record. */
  record Advance(Step step) implements Errand {}

  /** Remove the stores that the change names as remains. */
  record Remove(Set<Remains> remains) implements Errand {}

  /**
   * Take the change out of the record, by compare-and-set: it is over. While stores are left it
   * stays, with nothing but them.
   */
  record Finish(Set<Remains> left) implements Errand {}
}
