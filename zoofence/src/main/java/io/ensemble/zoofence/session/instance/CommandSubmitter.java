package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Puts a session's commands into the queues. Until the session has found that a queue exists, the
 * submitter sends one command at a time. Otherwise the first command could fail because there is no
 * queue, and the second could succeed because another session has created the queue meanwhile. The
 * two commands would then be in the wrong order. Confined to the session's event loop.
 */
final class CommandSubmitter {
  /** The reply for a command that had no effect and has to be routed again. */
  static final ZooKeeperReply AGAIN =
      new ZooKeeperReply(0, 0, QueueCommand.AGAIN, ByteBuffer.allocate(0));

  /** One attempt to submit a command. */
  interface Attempt {
    /**
     * Submits the command.
     *
     * @param begins whether the queue may have to be created first
     * @param then receives the result; {@code NONODE} if there is no queue
     */
    void make(boolean begins, Consumer<ZooKeeperReply> then);
  }

  private record Held(Attempt attempt, Consumer<ZooKeeperReply> then) {}

  private final Set<InstanceSet> known = new HashSet<>();
  private final Map<InstanceSet, ArrayDeque<Held>> beginning = new HashMap<>();

  /**
   * Puts a command into a queue.
   *
   * @param then receives the result; {@link #AGAIN} if there is no queue
   */
  void enter(InstanceSet set, Attempt attempt, Consumer<ZooKeeperReply> then) {
    if (known.contains(set)) {
      attempt.make(false, reply -> known(set, reply, then));
      return;
    }
    ArrayDeque<Held> behind = beginning.get(set);
    if (behind != null) {
      behind.add(new Held(attempt, then));
      return;
    }
    beginning.put(set, new ArrayDeque<>());
    attempt.make(true, reply -> tried(set, reply, then));
  }

  private void known(InstanceSet set, ZooKeeperReply reply, Consumer<ZooKeeperReply> then) {
    if (reply.failedWith(Code.NONODE)) {
      known.remove(set);
      then.accept(AGAIN);
    } else {
      then.accept(reply);
    }
  }

  private void tried(InstanceSet set, ZooKeeperReply reply, Consumer<ZooKeeperReply> then) {
    List<Held> behind = new ArrayList<>(beginning.getOrDefault(set, new ArrayDeque<>()));
    beginning.remove(set);
    if (reply.failedWith(Code.NONODE)) {
      then.accept(AGAIN);
      behind.forEach(each -> each.then().accept(AGAIN));
      return;
    }
    if (reply.succeeded()) {
      known.add(set);
    }
    then.accept(reply);
    behind.forEach(each -> enter(set, each.attempt(), each.then()));
  }
}
