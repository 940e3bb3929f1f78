package io.ensemble.change;

/** The phase of a change. Each phase is a state of the cache's record. */
public enum ChangePhase {
  /** The new stores have names and are being created; the former configuration serves. */
  PREPARING,

  /**
   * The content of the cache is being copied into the new stores; the former configuration serves.
   */
  COPYING,

  /**
   * The mover seals the former configuration at its sites and waits until all leases on it have
   * expired. Then the mover copies for the last time, unless the keys can be taken over one by one.
   * From this phase on, the change cannot be cancelled: no configuration serves until the new one
   * does. A restarted change returns to this phase from {@link #CUTOVER}.
   */
  SEALING,

  /**
   * The former configuration has ended and no process holds a lease on it. The new configuration
   * serves and takes over each key from the former one on the first access. The mover takes over
   * all other keys.
   */
  CUTOVER,

  /** The new configuration serves; the former stores are being removed. */
  CLOSING,

  /**
   * The change was cancelled; the former configuration serves, the new stores are being removed.
   */
  ABORTING
}
