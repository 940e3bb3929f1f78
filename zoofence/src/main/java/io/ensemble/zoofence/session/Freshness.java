package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import java.util.HashSet;
import java.util.Set;

/**
 * Before which reads a server of an instance has to catch up with the others: by default at each
 * switch to it, since others may have been told meanwhile of what it does not show yet. A relaxed
 * session asks for its own commands only, which it did not send over the connection that it reads
 * from. What was to make a server catch up and was lost is owed still.
 */
final class Freshness {
  private final boolean relaxed;
  private final Set<Integer> caughtUp = new HashSet<>();

  Freshness(ReadPreference readPreference) {
    this.relaxed = readPreference.areRelaxed();
  }

  /** Something of this session has come to instances by other connections than its own. */
  void unsettle() {
    caughtUp.clear();
  }

  /** A {@code sync}, or a write in its place, is answered by an instance. */
  void answered(int instance, ZooKeeperReply reply) {
    if (!reply.succeeded()) {
      caughtUp.remove(instance);
    }
  }

  /** A write goes to an instance: a read behind it needs no {@code sync}. */
  void writes(int instance) {
    caughtUp.add(instance);
  }

  /**
   * Whether a {@code sync} goes before the next read of an instance.
   *
   * @param switched whether the session was elsewhere in between
   */
  boolean wantsSync(int instance, boolean switched) {
    if (switched && !relaxed) {
      caughtUp.remove(instance);
    }
    return caughtUp.add(instance);
  }
}
