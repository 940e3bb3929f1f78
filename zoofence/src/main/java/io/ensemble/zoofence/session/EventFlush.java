package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.List;

/**
 * Waits for the events that a command has caused. A server sends them before the reply to the
 * command.
 */
final class EventFlush {
  private EventFlush() {}

  /**
   * @param set the instances that have executed the command
   * @param sync a request; after its response no earlier event can arrive
   * @param then is run when all events of the session's watches at these instances have arrived
   */
  static void of(
      MemberSessions memberSessions, InstanceSet set, ZooKeeperRequest sync, Runnable then) {
    List<InstanceClient> watched =
        memberSessions.instances().stream()
            .filter(at -> set.contains(at.link().number()))
            .filter(at -> !at.watches().isEmpty() && at.link().isOpen())
            .toList();
    if (watched.isEmpty()) {
      then.run();
      return;
    }
    var left = new int[] {watched.size()};
    for (InstanceClient at : watched) {
      at.link()
          .prepare(
              sync,
              flushed -> {
                if (--left[0] == 0) {
                  then.run();
                }
              });
    }
  }
}
