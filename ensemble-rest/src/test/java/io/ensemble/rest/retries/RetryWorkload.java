package io.ensemble.rest.retries;

import java.util.Collection;

/** What clients do again and again, and what must hold of it in the end. */
interface RetryWorkload {

  /**
   * One more, by a client that does one at a time. Several clients may be at it.
   *
   * @param client a name that no other client has
   * @param number counts from 0
   */
  void step(RetryingClient retryingClient, String client, int number);

  /** Fails if something was done twice, or otherwise than was told. When all is whole again. */
  void judge(RetryingClient late);

  /** What {@link #judge} goes by, to be kept if it fails; empty if it keeps that itself. */
  Collection<?> records();
}
