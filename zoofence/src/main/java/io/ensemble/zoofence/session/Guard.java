package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Locks;

/**
 * An instance's guard as it was read.
 *
 * @param version of the znode; a write that names an older one is turned away
 * @param locks what commands across instances hold for a moment
 */
record Guard(int version, Locks locks) {
  /** Before it was read: no write with it goes through. */
  static final Guard UNKNOWN = new Guard(-2, Locks.NONE);
}
