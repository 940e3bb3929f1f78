package io.ensemble.near;

/** A planted error of a near cache. */
public enum NearBug {
  NONE,
  /** Returns entries of any age. */
  IGNORES_AGE,
  /** Holds the result of a call beside which another call on the key was in progress. */
  KEEPS_CONCURRENT_RESULTS,
  /** Counts the age of a value from the end of the read that returned it. */
  COUNTS_AGE_FROM_THE_END
}
