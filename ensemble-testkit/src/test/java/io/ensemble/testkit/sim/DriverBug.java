package io.ensemble.testkit.sim;

/** A planted mistake of a driver of the register protocol. */
enum DriverBug {
  /** None. */
  NONE,
  /** Treats a site's {@code false} as the outcome: the operation had no effect. */
  TRUSTS_NO,
  /** Reports an operation of unknown outcome as refused. */
  UNKNOWN_IS_REFUSED,
  /** Repeats an operation of unknown outcome. */
  REPEATS_UNKNOWN,
  /** Treats a lost answer to a compare-and-set as success. */
  LOST_IS_YES,
  /** Replaces any present value if the entry version no longer matches. */
  SWAPS_BLINDLY,
  /** Lets a wiped site answer again under the same store name. */
  COUNTS_WIPED
}
