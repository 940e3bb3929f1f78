package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateResponse;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;

/**
 * A session's commands in the queues, and their outcomes. An outcome is a child of the session's
 * record, and its name is the whole message. The session deletes the child after reading it.
 */
final class SessionMailbox {
  private final InstanceSession admin;
  private final RoutingView routingView;
  private final String home;

  private final Map<String, Waiting> waiting = new HashMap<>();

  private record Waiting(Consumer<ZooKeeperReply> then, long untilNanos) {}

  private final CommandSubmitter commandSubmitter = new CommandSubmitter();

  SessionMailbox(InstanceSession admin, RoutingView routingView, long session) {
    this.admin = admin;
    this.routingView = routingView;
    this.home = ZnodePaths.child(ZooFencePaths.SESSIONS, ZooFencePaths.hex(session));
  }

  /** On each new connection: sets the watch, then reads the outcomes that arrived before. */
  void connected() {
    admin.prepare(
        ZooKeeperRequest.of(
            OpCode.addWatch,
            new AddWatchRequest(home, AddWatchMode.PERSISTENT_RECURSIVE.getMode())),
        reply -> {});
    admin.prepare(
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(home, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse()).getChildren().forEach(this::take);
          }
        });
  }

  /**
   * Puts a command into the queue of a set.
   *
   * @param then receives the reply: {@code CONNECTIONLOSS} if it is unknown whether the command
   *     arrived; {@link CommandSubmitter#AGAIN} if the command has to be routed again, and had no
   *     effect
   */
  void submit(
      InstanceSet set, QueueCommand command, long patienceMillis, Consumer<ZooKeeperReply> then) {
    String queue = ZooFencePaths.queue(set);
    commandSubmitter.enter(
        set,
        (begins, answered) -> {
          if (begins && routingView.version() >= 0 && !routingView.isMoving()) {
            admin.send(() -> begin(queue), patienceMillis, reply -> {});
          }
          admin.send(
              () -> create(queue + "/c-", command.bytes(), CreateMode.PERSISTENT_SEQUENTIAL),
              patienceMillis,
              answered);
        },
        reply -> entered(queue, reply, patienceMillis, then));
  }

  private void entered(
      String queue, ZooKeeperReply reply, long patienceMillis, Consumer<ZooKeeperReply> then) {
    if (!reply.succeeded()) {
      then.accept(ZooKeeperReply.failed(reply.error()));
      return;
    }
    String made = Jute.read(reply.body(), new CreateResponse()).getPath();
    long number = Long.parseLong(made.substring(made.lastIndexOf('-') + 1));
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    waiting.put(key(ZnodePaths.name(queue), number), new Waiting(then, until));
  }

  /**
   * Fails the requests that have waited long enough, with an unknown result: their commands may
   * still be executed.
   */
  void tick() {
    long now = System.nanoTime();
    List<String> overdue =
        waiting.entrySet().stream()
            .filter(one -> one.getValue().untilNanos() - now < 0)
            .map(Map.Entry::getKey)
            .toList();
    for (String one : overdue) {
      Waiting given = waiting.remove(one);
      if (given != null) {
        given.then().accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
      }
    }
  }

  private static ZooKeeperRequest create(String path, byte[] data, CreateMode mode) {
    return ZooKeeperRequest.of(
        OpCode.create, new CreateRequest(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode.toFlag()));
  }

  /**
   * Creates a queue, unless the queue exists, or the flattening has changed or is about to change.
   * A move has to see all queues.
   */
  private ZooKeeperRequest begin(String queue) {
    var both = new MultiOperationRecord();
    both.add(Op.check(ZooFencePaths.FLATTENING, routingView.version()));
    both.add(Op.create(queue, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    return ZooKeeperRequest.of(OpCode.multi, both);
  }

  private static String key(String queue, long number) {
    return queue + ":" + number;
  }

  /** Takes an outcome: passes it to the waiting request, and deletes its znode. */
  void take(String name) {
    CommandOutcome.Addressed addressed = CommandOutcome.read(name);
    Waiting waits = waiting.remove(key(addressed.queue(), addressed.command()));
    admin.prepare(
        ZooKeeperRequest.of(OpCode.delete, new DeleteRequest(ZnodePaths.child(home, name), -1)),
        reply -> {});
    if (waits != null) {
      CommandOutcome outcome = addressed.outcome();
      waits.then().accept(new ZooKeeperReply(0, outcome.zxid(), outcome.error(), outcome.body()));
    }
  }

  /** Whether a path is below this session's record. */
  boolean isHome(String path) {
    return path.startsWith(home + "/");
  }
}
