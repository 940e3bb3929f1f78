package io.ensemble.rest.retries;

import java.util.Collection;

/** Steps that clients repeat, and the property that must hold in the end. */
interface RetryWorkload {

  /**
   * Performs one step. A client performs one at a time; several clients may run in parallel.
   *
   * @param client a name that no other client has
   * @param number counts from 0
   */
  void step(RetryingClient retryingClient, String client, int number);

  /** Fails if a request was performed twice, or not as answered. Called after all faults ended. */
  void judge(RetryingClient late);

  /** The records that {@link #judge} uses, kept if it fails; empty if it keeps them itself. */
  Collection<?> records();
}
