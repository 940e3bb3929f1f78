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
  private final boolean relaxed;
  private final Set<Integer> caughtUp = new HashSet<>();

  Freshness(ReadPreference readPreference) {
    this.relaxed = readPreference.areRelaxed();
  }

  /**
   * A request of this session has reached instances over connections other than the session's own.
   */
  void unsettle() {
    caughtUp.clear();
  }

  /** An instance has answered a {@code sync}, or a write in its place. */
  void answered(int instance, ZooKeeperReply reply) {
    if (!reply.succeeded()) {
      caughtUp.remove(instance);
    }
  }

  /** A write is sent to an instance; a read behind the write needs no {@code sync}. */
  void writes(int instance) {
    caughtUp.add(instance);
  }

  /**
   * Whether a {@code sync} must precede the next read of an instance.
   *
   * @param switched whether the session used another instance in between
   */
  boolean wantsSync(int instance, boolean switched) {
    if (switched && !relaxed) {
      caughtUp.remove(instance);
    }
    return caughtUp.add(instance);
  }
}
