package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.InstanceLocks;

/**
 * An instance's guard, as it was read.
 *
 * @param version the version of the guard znode; a write that names an older version is rejected
 * @param locks the locks that commands across instances hold for a short time
 */
public record InstanceGuard(int version, InstanceLocks locks) {
  /** The guard before it is read: every write with it is rejected. */
  public static final InstanceGuard UNKNOWN = new InstanceGuard(-2, InstanceLocks.NONE);
}
