package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.List;

/** Waits for the events that a command has caused: they come before its reply, as from a server. */
final class EventFlush {
  private EventFlush() {}

  /**
   * @param set the instances that have carried the command out
   * @param sync the question behind whose answer no event can come any more
   * @param then is run when all that the session watches at them has been told
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
