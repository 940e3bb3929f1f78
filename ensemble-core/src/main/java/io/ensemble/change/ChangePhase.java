package io.ensemble.change;

/** How far a change has come. Each is a state of the cache's record; the former ones serve. */
public enum ChangePhase {
  /** The new stores have names and are being made; the former configuration serves. */
  PREPARING,

  /** What the cache holds is copied into the new stores; the former configuration serves. */
  COPYING,

  /**
   * The former configuration is ended at its sites, then outwaited, then copied for the last time
   * unless its keys can be taken over. From here on there is no way back: nobody may serve until
   * the new configuration does. A change that is restarted comes back to this step from {@link
   * #JOINT}.
   */
  SEALING,

  /**
   * The former configuration has ended and nobody trusts it any more; the new one serves, and takes
   * each key over from it when that is first touched. The owner takes over all others.
   */
  JOINT,

  /** The new configuration serves; the former stores are being removed. */
  CLOSING,

  /** The change was given up; the former configuration serves, the new stores are being removed. */
  ABORTING
}
