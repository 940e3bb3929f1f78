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
   * @param callback is run when all events of the session's watches at these instances have arrived
   */
  static void awaitEvents(
      MemberSessions memberSessions, InstanceSet set, ZooKeeperRequest sync, Runnable callback) {
    List<InstanceClient> watchedInstances =
        memberSessions.instances().stream()
            .filter(instance -> set.contains(instance.link().number()))
            .filter(instance -> !instance.watches().isEmpty() && instance.link().isOpen())
            .toList();
    if (watchedInstances.isEmpty()) {
      callback.run();
      return;
    }
    var remaining = new int[] {watchedInstances.size()};
    for (InstanceClient instance : watchedInstances) {
      instance
          .link()
          .prepare(
              sync,
              reply -> {
                if (--remaining[0] == 0) {
                  callback.run();
                }
              });
    }
  }
}
