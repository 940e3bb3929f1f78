package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
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
 * record, and its name is the whole message. After reading some, the session deletes these children
 * in one transaction.
 */
final class SessionMailbox {
  /** The number of read outcomes that are deleted together. */
  private static final int DELETED_TOGETHER = 16;

  /** The length of the names of read outcomes at which they are deleted. */
  private static final int MAX_NAME_CHARACTERS = 64 * 1024;

  private final InstanceSession admin;
  private final RoutingView routingView;

  /** The access list of commands, which hold the client's credentials. */
  private final AdminAccess access;

  private final String recordPath;

  private final Map<String, Waiting> waiting = new HashMap<>();
  private final Set<String> readOutcomes = new LinkedHashSet<>();
  private int nameCharacters;

  private record Waiting(Consumer<ZooKeeperReply> callback, long deadlineNanos) {}

  private final CommandSubmitter commandSubmitter = new CommandSubmitter();
  private final EarlierCommands earlierCommands;

  /**
   * @param isContinued whether the session has had a connection before
   * @param onEarlierEnded is run when all commands of earlier connections have ended
   */
  SessionMailbox(
      InstanceSession admin,
      RoutingView routingView,
      RoutingContext routingContext,
      long session,
      boolean isContinued,
      Runnable onEarlierEnded) {
    this.access = routingContext.access();
    this.earlierCommands =
        new EarlierCommands(admin, routingContext, session, isContinued, onEarlierEnded);
    this.admin = admin;
    this.routingView = routingView;
    this.recordPath = ZnodePaths.child(ZooFencePaths.SESSIONS, ZooFencePaths.hex(session));
  }

  /** On each new connection: sets the watch, then reads the outcomes that arrived before. */
  void handleConnected() {
    admin.prepare(
        ZooKeeperRequest.of(
            OpCode.addWatch,
            new AddWatchRequest(recordPath, AddWatchMode.PERSISTENT_RECURSIVE.getMode())),
        reply -> {});
    admin.prepare(
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(recordPath, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse())
                .getChildren()
                .forEach(this::deliverOutcome);
          }
        });
    earlierCommands.read();
  }

  /** Whether all commands of earlier connections of this session are known to have ended. */
  boolean areEarlierCommandsEnded() {
    return earlierCommands.areEnded();
  }

  /**
   * Puts a command into the queue of a set.
   *
   * @param callback receives the reply: {@code CONNECTIONLOSS} if it is unknown whether the command
   *     arrived; {@link CommandSubmitter#AGAIN} if the command has to be routed again, and had no
   *     effect
   */
  void submit(
      InstanceSet set,
      QueueCommand command,
      long requestTimeoutMillis,
      Consumer<ZooKeeperReply> callback) {
    String queue = ZooFencePaths.queue(set);
    commandSubmitter.submit(
        set,
        (mayCreateQueue, handler) -> {
          if (mayCreateQueue && routingView.version() >= 0 && !routingView.isMoving()) {
            admin.send(() -> createQueue(queue), requestTimeoutMillis, reply -> {});
          }
          admin.send(() -> create(queue + "/c-", command.bytes()), requestTimeoutMillis, handler);
        },
        reply -> awaitOutcome(reply, requestTimeoutMillis, callback));
  }

  private void awaitOutcome(
      ZooKeeperReply reply, long requestTimeoutMillis, Consumer<ZooKeeperReply> callback) {
    if (!reply.succeeded()) {
      callback.accept(ZooKeeperReply.failed(reply.error()));
      return;
    }
    String commandPath = Jute.read(reply.body(), new CreateResponse()).getPath();
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(requestTimeoutMillis);
    waiting.put(key(commandPath), new Waiting(callback, deadlineNanos));
  }

  /**
   * Fails the requests that have waited long enough, with an unknown result: their commands may
   * still be executed. The session then closes the client's connection, and the next connection
   * waits for these commands.
   */
  void tick() {
    deleteOutcomes();
    long now = System.nanoTime();
    List<String> overdueKeys =
        waiting.entrySet().stream()
            .filter(entry -> entry.getValue().deadlineNanos() - now < 0)
            .map(Map.Entry::getKey)
            .toList();
    for (String key : overdueKeys) {
      Waiting expired = waiting.remove(key);
      if (expired != null) {
        expired.callback().accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
      }
    }
  }

  private ZooKeeperRequest create(String path, byte[] command) {
    return ZooKeeperRequest.of(
        OpCode.create,
        new CreateRequest(path, command, access.acl(), CreateMode.PERSISTENT_SEQUENTIAL.toFlag()));
  }

  /**
   * Creates a queue, unless the queue exists, or the flattening has changed or is about to change.
   * A move has to see all queues.
   */
  private ZooKeeperRequest createQueue(String queue) {
    var operations = new MultiOperationRecord();
    operations.add(Op.check(ZooFencePaths.FLATTENING, routingView.version()));
    operations.add(
        Op.create(queue, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    return ZooKeeperRequest.of(OpCode.multi, operations);
  }

  /** Names a command, among those of all queues, by its path. */
  static String key(String commandPath) {
    long number = Long.parseLong(commandPath.substring(commandPath.lastIndexOf('-') + 1));
    return key(ZnodePaths.name(ZnodePaths.parent(commandPath)), number);
  }

  private static String key(String queue, long number) {
    return queue + ":" + number;
  }

  /** Takes an outcome: passes it to the waiting request. Its znode is deleted later. */
  void deliverOutcome(String name) {
    CommandOutcome.Addressed addressed = CommandOutcome.read(name);
    String command = key(addressed.queue(), addressed.command());
    Waiting waiter = waiting.remove(command);
    earlierCommands.recordOutcome(command);
    if (readOutcomes.add(name)) {
      nameCharacters += name.length();
    }
    if (readOutcomes.size() >= DELETED_TOGETHER || nameCharacters >= MAX_NAME_CHARACTERS) {
      deleteOutcomes();
    }
    if (waiter != null) {
      CommandOutcome outcome = addressed.outcome();
      waiter
          .callback()
          .accept(new ZooKeeperReply(0, outcome.zxid(), outcome.error(), outcome.body()));
    }
  }

  /**
   * Deletes the outcomes that were read. Those that remain, because the connection is lost, are
   * read again over the next one.
   */
  void deleteOutcomes() {
    if (readOutcomes.isEmpty()) {
      return;
    }
    List<String> names = List.copyOf(readOutcomes);
    readOutcomes.clear();
    nameCharacters = 0;
    var operations = new MultiOperationRecord();
    names.forEach(name -> operations.add(Op.delete(ZnodePaths.child(recordPath, name), -1)));
    admin.prepare(
        ZooKeeperRequest.of(OpCode.multi, operations),
        reply -> {
          // Another process with this session may have deleted one of them.
          if (reply.succeeded() && hasFailed(reply)) {
            names.forEach(this::deleteOutcome);
          }
        });
  }

  private static boolean hasFailed(ZooKeeperReply reply) {
    return Jute.read(reply.body(), new MultiResponse()).getResultList().stream()
        .anyMatch(OpResult.ErrorResult.class::isInstance);
  }

  private void deleteOutcome(String name) {
    admin.prepare(
        ZooKeeperRequest.of(
            OpCode.delete, new DeleteRequest(ZnodePaths.child(recordPath, name), -1)),
        reply -> {});
  }

  /** Whether a path is below this session's record. */
  boolean isInMailbox(String path) {
    return path.startsWith(recordPath + "/");
  }
}
