package io.ensemble.testkit.mwmr;

/** A mistake in bringing a site back; planted to see it caught. */
enum RefillBug {
  /** None. */
  NONE,
  /** Copies the entries of another site as they are. */
  COPIES_WITHOUT_SETTLING,
  /** Does not wait for votes that were under way. */
  DOES_NOT_WAIT,
  /** Lets the site count with an empty store. */
  COUNTS_EMPTY
}
