package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.OutcomeBuilder;
import io.ensemble.zoofence.wire.StatTranslator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The queue store in the administrative ensemble. Outcomes are children of the records of the
 * sessions that wait for them. A transaction that ends a command takes effect only while its leader
 * leads: a later leader may execute a command for which a former one has found a refusal.
 */
final class AdminQueueStore implements QueueStore {
  private final Supplier<ZooKeeper> admin;
  private final AdminAccess access;
  private final String queue;
  private final String candidatePath;
  private final CommandNumbering commandNumbering;
  private final Consumer<Runnable> immediateExecutor;
  private final Consumer<Runnable> delayedExecutor;
  private final TransactionMerger merger;
  private final Map<Long, Set<InstanceSet>> lockedSets = new HashMap<>();
  private volatile boolean closed;

  /**
   * @param candidatePath the znode that exists as long as the leader leads
   * @param commandNumbering gives the names of the commands' znodes
   * @param immediateExecutor runs a task on the executor's thread
   * @param delayedExecutor runs a task after a short delay, on the executor's thread
   * @param access the access list of records with credentials
   */
  AdminQueueStore(
      Supplier<ZooKeeper> admin,
      String queue,
      String candidatePath,
      CommandNumbering commandNumbering,
      Consumer<Runnable> immediateExecutor,
      Consumer<Runnable> delayedExecutor,
      AdminAccess access) {
    this.access = access;
    this.admin = admin;
    this.queue = queue;
    this.candidatePath = candidatePath;
    this.commandNumbering = commandNumbering;
    this.immediateExecutor = immediateExecutor;
    this.delayedExecutor = delayedExecutor;
    this.merger = new TransactionMerger(this::send, immediateExecutor);
  }

  private void send(List<Op> operations, Consumer<Boolean> callback) {
    admin
        .get()
        .multi(
            whileLeading(operations),
            (code, path, context, results) ->
                immediateExecutor.accept(() -> callback.accept(code == 0)),
            null);
  }

  /** Puts the check of the leadership before operations. */
  private List<Op> whileLeading(List<Op> operations) {
    var transaction = new ArrayList<>(List.of(Op.check(candidatePath, -1)));
    transaction.addAll(operations);
    return transaction;
  }

  private String commandPath(long number) {
    return ZnodePaths.numbered(
        ZooFencePaths.QUEUES + "/" + queue + "/c-", commandNumbering.toSequence(number));
  }

  @Override
  public void finish(
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      CommandOutcome outcome,
      Runnable callback) {
    lockedSets.remove(number);
    String session = ZooFencePaths.hex(command.session());
    var operations = new ArrayList<Op>();
    operations.add(
        createOperation(
            ZnodePaths.child(ZooFencePaths.SESSIONS, session)
                + "/"
                + outcome.name(queue, commandNumbering.toSequence(number))));
    if (plan != null && outcome.error() == 0) {
      plan.owned()
          .forEach((path, owner) -> operations.add(createRecord(owner, path, number, command)));
    }
    operations.add(Op.delete(commandPath(number), -1));
    merger.submit(
        operations, callback, () -> finishAlone(operations, number, command, plan, callback));
  }

  private void finishAlone(
      List<Op> operations,
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      Runnable callback) {
    submit(
        operations,
        () -> finishAlone(operations, number, command, plan, callback),
        callback,
        () -> finishOrphaned(number, command, plan, callback));
  }

  /**
   * Records the owner of a path. The record holds the credentials of the creator, which may be the
   * only ones that allow the removal.
   */
  private Op createRecord(long owner, String path, long number, QueueCommand creation) {
    var znodeOwner = new ZnodeOwner(owner, number);
    return Op.create(
        znodeOwner.recordPath(path),
        createRemoval(znodeOwner, path, creation).bytes(),
        access.acl(),
        CreateMode.PERSISTENT);
  }

  private static QueueCommand createRemoval(ZnodeOwner owner, String path, QueueCommand creation) {
    return owner.isSession()
        ? QueueCommand.reap(owner.owner(), path, creation.credentials())
        : QueueCommand.expire(owner, path, -1, creation.credentials());
  }

  /**
   * Handles a command of an ended session: no client waits for the outcome, and the znodes that the
   * session would own have to be removed.
   */
  private void finishOrphaned(
      long number, QueueCommand command, @Nullable CommandPlan plan, Runnable callback) {
    var operations = new ArrayList<Op>();
    if (plan != null && CommandPlan.isPlannable(command)) {
      plan.owned()
          .forEach(
              (path, owner) ->
                  operations.add(
                      StatTranslator.isSession(owner)
                          ? enqueue(QueueCommand.reap(owner, path, command.credentials()))
                          : createRecord(owner, path, number, command)));
    }
    operations.add(Op.delete(commandPath(number), -1));
    submit(operations, () -> finishOrphaned(number, command, plan, callback), callback, callback);
  }

  private Op enqueue(QueueCommand command) {
    return Op.create(
        ZooFencePaths.QUEUES + "/" + queue + "/c-",
        command.bytes(),
        access.acl(),
        CreateMode.PERSISTENT_SEQUENTIAL);
  }

  @Override
  public void discard(long number, byte[] bytes) {
    try {
      CommandOutcome refusal = OutcomeBuilder.buildFailure(Code.BADARGUMENTS.intValue());
      finish(number, QueueCommand.read(bytes), null, refusal, () -> {});
    } catch (IllegalArgumentException unreadable) {
      List<Op> operations = List.of(Op.delete(commandPath(number), -1));
      submit(operations, () -> discard(number, bytes), () -> {}, () -> {});
    }
  }

  @Override
  public void report(long number, String refusal, Runnable callback) {
    lockedSets.remove(number);
    admin
        .get()
        .exists(
            commandPath(number),
            false,
            (code, path, context, stat) -> {
              if (code == 0) {
                submitReport(number, stat.getCzxid(), refusal, callback);
              } else if (code == Code.NONODE.intValue()) {
                immediateExecutor.accept(callback); // An earlier attempt has succeeded.
              } else {
                retry(() -> report(number, refusal, callback));
              }
            },
            null);
  }

  private void submitReport(long number, long created, String refusal, Runnable callback) {
    submit(
        List.of(
            Op.create(
                ZooFencePaths.moveReport(created),
                refusal.getBytes(StandardCharsets.UTF_8),
                ZooDefs.Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT),
            Op.delete(commandPath(number), -1)),
        () -> report(number, refusal, callback),
        callback,
        callback);
  }

  @Override
  public void removeRecord(ZnodeOwner owner, String path) {
    merger.flush(); // The record may be created by an outcome that waits.
    admin.get().delete(owner.recordPath(path), -1, (code, of, context) -> {}, null);
  }

  @Override
  public String holder(long number) {
    return queue + ":" + number;
  }

  /** The grant that the queue of a smaller set gives to a command of this queue. */
  private String grantPath(InstanceSet smallerSet, long number) {
    return grantPath(
        ZooFencePaths.hex(smallerSet.bits()), queue, commandNumbering.toSequence(number));
  }

  /** Names a grant by the sequence number: the giver has only the path of the command. */
  private static String grantPath(String giver, String holderQueue, long sequence) {
    return ZooFencePaths.GRANTS + "/" + giver + ":" + holderQueue + ":" + sequence;
  }

  /**
   * Pauses a queue. A repeated call, as by a retried move, waits for the first request instead of
   * sending another.
   */
  @Override
  public void lock(InstanceSet smallerSet, long number, Runnable callback) {
    if (lockedSets.computeIfAbsent(number, command -> new HashSet<>()).add(smallerSet)) {
      submitLock(smallerSet, number, callback);
    } else {
      awaitGrant(grantPath(smallerSet, number), callback);
    }
  }

  private void submitLock(InstanceSet smallerSet, long number, Runnable callback) {
    String queuePath = ZooFencePaths.queue(smallerSet);
    ZooKeeper client = admin.get();
    client.create(
        queuePath,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT,
        (code, path, context, made) -> {},
        null);
    client.create(
        queuePath + "/c-",
        QueueCommand.lock(commandPath(number)).bytes(),
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL,
        (code, path, context, made) -> {
          if (code == 0) {
            awaitGrant(grantPath(smallerSet, number), callback);
          } else {
            retry(() -> submitLock(smallerSet, number, callback)); // A second one does no harm.
          }
        },
        null);
  }

  /** Retries a task after a short delay; a closed leader retries nothing. */
  private void retry(Runnable task) {
    if (!closed) {
      delayedExecutor.accept(
          () -> {
            if (!closed) {
              task.run();
            }
          });
    }
  }

  @Override
  public void close() {
    closed = true;
    merger.close();
  }

  private void awaitGrant(String grant, Runnable callback) {
    await(grant, true, callback);
  }

  /** Runs a task when a znode exists, or when it no longer exists. */
  private void await(String path, boolean isPresent, Runnable callback) {
    var isDone = new AtomicBoolean();
    Watcher watcher =
        event -> {
          if (event.getType() != EventType.None && isDone.compareAndSet(false, true) && !closed) {
            await(path, isPresent, callback);
          }
        };
    ZooKeeper client = admin.get();
    client.exists(
        path,
        watcher,
        (code, of, context, stat) -> {
          boolean isAnswered = code == 0 || code == Code.NONODE.intValue();
          if (isAnswered && (code == 0) != isPresent) {
            return; // The watch reports it.
          }
          if (!isDone.compareAndSet(false, true)) {
            return;
          }
          if (code == Code.NONODE.intValue()) {
            // The znode is never created again, so the watch would never fire and has to be
            // removed.
            client.removeWatches(
                path, watcher, WatcherType.Any, true, (done, gone, ignored) -> {}, null);
          }
          if (isAnswered) {
            immediateExecutor.accept(callback);
          } else {
            retry(() -> await(path, isPresent, callback));
          }
        },
        null);
  }

  @Override
  public void pauseFor(String commandPath, Runnable callback) {
    String grant =
        grantPath(
            queue,
            ZnodePaths.name(ZnodePaths.parent(commandPath)),
            QueueReader.parseNumber(commandPath));
    admin
        .get()
        .create(
            grant,
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT,
            (code, path, context, made) -> {
              if (code == 0 || code == Code.NODEEXISTS.intValue()) {
                immediateExecutor.accept(() -> awaitEnd(commandPath, grant, callback));
              } else {
                retry(() -> pauseFor(commandPath, callback));
              }
            },
            null);
  }

  /** Waits until the larger set's command is out of its queue; the pause lasts that long. */
  private void awaitEnd(String commandPath, String grant, Runnable callback) {
    await(
        commandPath,
        false,
        () ->
            admin
                .get()
                .delete(
                    grant, -1, (done, of, ignored) -> immediateExecutor.accept(callback), null));
  }

  private static Op createOperation(String path) {
    return Op.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private void submit(List<Op> operations, Runnable again, Runnable callback, Runnable onRefused) {
    admin
        .get()
        .multi(
            whileLeading(operations),
            (code, path, context, results) -> {
              if (code == 0) {
                immediateExecutor.accept(callback);
              } else if (results == null) {
                retry(again);
              } else {
                immediateExecutor.accept(() -> handleRefusal(results, callback, onRefused));
              }
            },
            null);
  }

  private static void handleRefusal(List<OpResult> results, Runnable callback, Runnable onRefused) {
    int failedIndex = 0;
    while (readError(results.get(failedIndex)) == 0) {
      failedIndex++;
    }
    if (failedIndex == 0) {
      return; // The leader no longer leads; the next leader ends the command.
    }
    boolean isDelivered = readError(results.get(failedIndex)) == Code.NODEEXISTS.intValue();
    // In both cases an earlier attempt has succeeded.
    if (isDelivered || failedIndex == results.size() - 1) {
      callback.run();
    } else {
      onRefused.run();
    }
  }

  private static int readError(OpResult result) {
    return ((OpResult.ErrorResult) result).getErr();
  }
}
