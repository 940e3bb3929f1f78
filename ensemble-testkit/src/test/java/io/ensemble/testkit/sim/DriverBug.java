package io.ensemble.testkit.sim;

/** A mistake that a driver of the register protocol could make; planted to see it caught. */
enum DriverBug {
  /** None. */
  NONE,
  /** Takes a site's "no" for the truth: the operation had no effect. */
  TRUSTS_NO,
  /** Tells the user that an operation whose outcome is unknown had no effect. */
  UNKNOWN_IS_REFUSED,
  /** Does an operation whose outcome is unknown once more. */
  REPEATS_UNKNOWN,
  /** Takes a lost answer to a compare-and-set for a yes. */
  LOST_IS_YES,
  /** Replaces whatever is there when the entry version no longer fits. */
  SWAPS_BLINDLY,
  /** Lets a site that lost its memory answer again under the same store's name. */
  COUNTS_WIPED
}
