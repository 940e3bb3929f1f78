package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SyncRequest;

/**
 * The commands that earlier connections of a session have left in the queues. A client that lost
 * such a connection does not know the outcome of its commands, and a server of ZooKeeper executes
 * the requests of the next connection behind them. So the requests of this connection wait until
 * these commands have ended. Confined to the session's event loop.
 */
final class EarlierCommands {
  private static final int AT_A_TIME = 64;

  private final InstanceSession admin;
  private final RoutingContext routingContext;
  private final long session;
  private final Runnable onEnded;
  private final Set<String> pending = new HashSet<>();
  private final ArrayDeque<RoutingContext.QueuedCommand> unread = new ArrayDeque<>();
  private int attempt;
  private int inFlight;
  private boolean isRead;

  /**
   * @param isContinued whether the session has had a connection before; a new session has left no
   *     commands
   * @param onEnded is run when the last of the commands has ended
   */
  EarlierCommands(
      InstanceSession admin,
      RoutingContext routingContext,
      long session,
      boolean isContinued,
      Runnable onEnded) {
    this.admin = admin;
    this.routingContext = routingContext;
    this.session = session;
    this.onEnded = onEnded;
    this.isRead = !isContinued;
  }

  /** Whether all commands of earlier connections are known to have ended. */
  boolean areEnded() {
    return isRead && pending.isEmpty();
  }

  /**
   * Looks for the commands, on each connection until one look is complete. The watch on the
   * session's record must be set before, so that the end of each command found is reported.
   */
  void read() {
    if (isRead) {
      return;
    }
    attempt++;
    inFlight = 0;
    unread.clear();
    // The server of this connection may lag behind the one that took the commands.
    admin.prepare(
        ZooKeeperRequest.of(OpCode.sync, new SyncRequest(ZooFencePaths.QUEUES)), reply -> {});
    list(
        ZooFencePaths.QUEUES,
        queues ->
            queues
                .getChildren()
                .forEach(queue -> listQueue(ZnodePaths.child(ZooFencePaths.QUEUES, queue))));
  }

  private void listQueue(String path) {
    list(
        path,
        queue ->
            queue
                .getChildren()
                .forEach(
                    command ->
                        unread.add(
                            new RoutingContext.QueuedCommand(
                                ZnodePaths.child(path, command), queue.getStat().getCzxid()))));
  }

  private void list(String path, Consumer<GetChildren2Response> callback) {
    ask(
        ZooKeeperRequest.of(OpCode.getChildren2, new GetChildren2Request(path, false)),
        reply -> callback.accept(Jute.read(reply.body(), new GetChildren2Response())));
  }

  private void readNext() {
    while (inFlight < AT_A_TIME && !unread.isEmpty()) {
      RoutingContext.QueuedCommand command = unread.remove();
      Long known = routingContext.findCommandSession(command);
      if (known != null && known != session) {
        continue; // Many sessions of a process may wait for a queue that stands still.
      }
      // An own command is read in any case: it may have ended since the queue was listed.
      ask(
          ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(command.path(), false)),
          reply -> {
            long owner = readSession(Jute.read(reply.body(), new GetDataResponse()).getData());
            routingContext.recordCommandSession(command, owner);
            if (owner == session) {
              pending.add(SessionMailbox.key(command.path()));
            }
          });
    }
    if (inFlight == 0) {
      isRead = true;
      reportEnd();
    }
  }

  private static long readSession(byte[] command) {
    try {
      return QueueCommand.read(command).session();
    } catch (IllegalArgumentException unreadable) {
      return 0; // The leader discards such a command.
    }
  }

  /**
   * Asks for a znode. One that is gone belongs to a command that has ended, and one in a queue that
   * this process may not read is no command of the deployment, whose processes have equal access.
   */
  private void ask(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    int asked = attempt;
    inFlight++;
    admin.prepare(
        request,
        reply -> {
          boolean isForeign = request.type() == OpCode.getData && reply.failedWith(Code.NOAUTH);
          boolean isAnswered = reply.succeeded() || reply.failedWith(Code.NONODE) || isForeign;
          if (asked != attempt || !isAnswered) {
            return; // The next connection begins again.
          }
          if (reply.succeeded()) {
            callback.accept(reply);
          }
          inFlight--;
          readNext();
        });
  }

  /** Takes note that a command has ended. */
  void recordOutcome(String command) {
    if (pending.remove(command)) {
      reportEnd();
    }
  }

  private void reportEnd() {
    if (areEnded()) {
      onEnded.run();
    }
  }
}
