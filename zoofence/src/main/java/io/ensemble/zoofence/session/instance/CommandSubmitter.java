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
 * Lets a session's commands into the queues. As long as it does not know that a queue is there, one
 * command goes at a time: were the first turned away because there is none, and the second let in
 * because somebody has begun it meanwhile, they would have changed places. Confined to the
 * session's event loop.
 */
final class CommandSubmitter {
  /** Had no effect, and has to be routed anew. */
  static final ZooKeeperReply AGAIN =
      new ZooKeeperReply(0, 0, QueueCommand.AGAIN, ByteBuffer.allocate(0));

  /** How a command goes. */
  interface Attempt {
    /**
     * Goes.
     *
     * @param begins whether the queue may have to be begun before
     * @param then gets what became of it; {@code NONODE} if there is no queue
     */
    void make(boolean begins, Consumer<ZooKeeperReply> then);
  }

  private record Held(Attempt attempt, Consumer<ZooKeeperReply> then) {}

  private final Set<InstanceSet> known = new HashSet<>();
  private final Map<InstanceSet, ArrayDeque<Held>> beginning = new HashMap<>();

  /**
   * Lets a command in.
   *
   * @param then gets what became of it; {@link #AGAIN} if there is no queue
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
