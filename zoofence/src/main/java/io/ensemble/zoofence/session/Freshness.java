package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import java.util.HashSet;
import java.util.Set;

/**
 * Decides before which reads a server of an instance has to catch up with the others. By default
 * this is each switch of the session to that instance: other clients may have seen changes that the
 * server lacks. A relaxed session requires it only for its own commands, which travel over
 * connections other than the one that the session reads from. A lost {@code sync} remains due.
 */
final class Freshness {
  private final boolean isRelaxed;
  private final Set<Integer> syncedInstances = new HashSet<>();

  Freshness(ReadPreference readPreference) {
    this.isRelaxed = readPreference.isRelaxed();
  }

  /**
   * A request of this session has reached instances over connections other than the session's own.
   */
  void requireSync() {
    syncedInstances.clear();
  }

  /** An instance has answered a {@code sync}, or a write in its place. */
  void recordReply(int instance, ZooKeeperReply reply) {
    if (!reply.succeeded()) {
      syncedInstances.remove(instance);
    }
  }

  /** A write is sent to an instance; a read behind the write needs no {@code sync}. */
  void recordWrite(int instance) {
    syncedInstances.add(instance);
  }

  /**
   * Whether a {@code sync} must precede the next read of an instance.
   *
   * @param isSwitched whether the session used another instance in between
   */
  boolean isSyncNeeded(int instance, boolean isSwitched) {
    if (isSwitched && !isRelaxed) {
      syncedInstances.remove(instance);
    }
    return syncedInstances.add(instance);
  }
}
