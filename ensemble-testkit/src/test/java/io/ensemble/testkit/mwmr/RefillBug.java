package io.ensemble.testkit.mwmr;

/** A planted mistake in the recovery of a site. */
enum RefillBug {
  /** None. */
  NONE,
  /** Copies the entries of another site without settling them. */
  COPIES_WITHOUT_SETTLING,
  /** Does not wait for votes that are under way. */
  DOES_NOT_WAIT,
  /** Lets the site count with an empty store. */
  COUNTS_EMPTY
}
