package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.InstanceLocks;

/**
 * An instance's guard as it was read.
 *
 * @param version of the znode; a write that names an older one is turned away
 * @param locks what commands across instances hold for a moment
 */
public record InstanceGuard(int version, InstanceLocks locks) {
  /** Before it was read: no write with it goes through. */
  public static final InstanceGuard UNKNOWN = new InstanceGuard(-2, InstanceLocks.NONE);
}
