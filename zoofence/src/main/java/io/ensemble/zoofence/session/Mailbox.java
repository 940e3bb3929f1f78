package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.link.Link;
import io.ensemble.zoofence.queue.Command;
import io.ensemble.zoofence.queue.Outcome;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
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
 * A session's commands in the queues, and the outcomes that come back. An outcome is a znode below
 * the session's own, whose name says all; it is deleted when it has been taken.
 */
final class Mailbox {
  private final Link admin;
  private final Chart chart;
  private final String home;

  private final Map<String, Waiting> waiting = new HashMap<>();

  private record Waiting(Consumer<Reply> then, long untilNanos) {}

  private final Entrance entrance = new Entrance();

  Mailbox(Link admin, Chart chart, long session) {
    this.admin = admin;
    this.chart = chart;
    this.home = Paths.child(Names.SESSIONS, Names.hex(session));
  }

  /** On each new connection: asks for events, then for what came before. */
  void connected() {
    admin.prepare(
        Request.of(
            OpCode.addWatch,
            new AddWatchRequest(home, AddWatchMode.PERSISTENT_RECURSIVE.getMode())),
        reply -> {});
    admin.prepare(
        Request.of(OpCode.getChildren, new GetChildrenRequest(home, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse()).getChildren().forEach(this::take);
          }
        });
  }

  /**
   * Puts a command into the queue of a set.
   *
   * @param then gets the reply; {@code CONNECTIONLOSS} if nobody knows whether it got there; {@link
   *     Command#AGAIN} if it has to be routed anew, and had no effect
   */
  void submit(InstanceSet set, Command command, long patienceMillis, Consumer<Reply> then) {
    String queue = Names.queue(set);
    entrance.enter(
        set,
        (begins, answered) -> {
          if (begins && chart.version() >= 0 && !chart.isMoving()) {
            admin.send(() -> begin(queue), patienceMillis, reply -> {});
          }
          admin.send(
              () -> create(queue + "/c-", command.bytes(), CreateMode.PERSISTENT_SEQUENTIAL),
              patienceMillis,
              answered);
        },
        reply -> entered(queue, reply, patienceMillis, then));
  }

  private void entered(String queue, Reply reply, long patienceMillis, Consumer<Reply> then) {
    if (!reply.succeeded()) {
      then.accept(Reply.failed(reply.error()));
      return;
    }
    String made = Jute.read(reply.body(), new CreateResponse()).getPath();
    long number = Long.parseLong(made.substring(made.lastIndexOf('-') + 1));
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    waiting.put(key(Paths.name(queue), number), new Waiting(then, until));
  }

  /** Who has waited long enough is told that nobody knows: the command may still be carried out. */
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
        given.then().accept(Reply.failed(Code.CONNECTIONLOSS));
      }
    }
  }

  private static Request create(String path, byte[] data, CreateMode mode) {
    return Request.of(
        OpCode.create, new CreateRequest(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode.toFlag()));
  }

  /**
   * Begins a queue, unless it is there, or who holds what has changed or is about to: a move has to
   * know all queues.
   */
  private Request begin(String queue) {
    var both = new MultiOperationRecord();
    both.add(Op.check(Names.FLATTENING, chart.version()));
    both.add(Op.create(queue, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    return Request.of(OpCode.multi, both);
  }

  private static String key(String queue, long number) {
    return queue + ":" + number;
  }

  /** Something has come: whoever waits for it gets it, and it is deleted. */
  void take(String name) {
    Outcome.Addressed addressed = Outcome.read(name);
    Waiting waits = waiting.remove(key(addressed.queue(), addressed.command()));
    admin.prepare(
        Request.of(OpCode.delete, new DeleteRequest(Paths.child(home, name), -1)), reply -> {});
    if (waits != null) {
      Outcome outcome = addressed.outcome();
      waits.then().accept(new Reply(0, outcome.zxid(), outcome.error(), outcome.body()));
    }
  }

  /** Whether a path is where outcomes come. */
  boolean isHome(String path) {
    return path.startsWith(home + "/");
  }
}
