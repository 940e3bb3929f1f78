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
     * @param mayCreateQueue whether the queue may have to be created first
     * @param callback receives the result; {@code NONODE} if there is no queue
     */
    void send(boolean mayCreateQueue, Consumer<ZooKeeperReply> callback);
  }

  private record Held(Attempt attempt, Consumer<ZooKeeperReply> callback) {}

  private final Set<InstanceSet> existingQueues = new HashSet<>();
  private final Map<InstanceSet, ArrayDeque<Held>> waitingBySet = new HashMap<>();

  /**
   * Puts a command into a queue.
   *
   * @param callback receives the result; {@link #AGAIN} if there is no queue
   */
  void submit(InstanceSet set, Attempt attempt, Consumer<ZooKeeperReply> callback) {
    if (existingQueues.contains(set)) {
      attempt.send(false, reply -> handleKnown(set, reply, callback));
      return;
    }
    ArrayDeque<Held> waiting = waitingBySet.get(set);
    if (waiting != null) {
      waiting.add(new Held(attempt, callback));
      return;
    }
    waitingBySet.put(set, new ArrayDeque<>());
    attempt.send(true, reply -> handleFirst(set, reply, callback));
  }

  private void handleKnown(
      InstanceSet set, ZooKeeperReply reply, Consumer<ZooKeeperReply> callback) {
    if (reply.failedWith(Code.NONODE)) {
      existingQueues.remove(set);
      callback.accept(AGAIN);
    } else {
      callback.accept(reply);
    }
  }

  private void handleFirst(
      InstanceSet set, ZooKeeperReply reply, Consumer<ZooKeeperReply> callback) {
    List<Held> waiting = new ArrayList<>(waitingBySet.getOrDefault(set, new ArrayDeque<>()));
    waitingBySet.remove(set);
    if (reply.failedWith(Code.NONODE)) {
      callback.accept(AGAIN);
      waiting.forEach(held -> held.callback().accept(AGAIN));
      return;
    }
    if (reply.failedWith(Code.CONNECTIONLOSS)) {
      // The first command may be in the queue or may be lost: no command is sent behind it.
      callback.accept(reply);
      waiting.forEach(held -> held.callback().accept(reply));
      return;
    }
    if (reply.succeeded()) {
      existingQueues.add(set);
    }
    callback.accept(reply);
    waiting.forEach(held -> submit(set, held.attempt(), held.callback()));
  }
}
