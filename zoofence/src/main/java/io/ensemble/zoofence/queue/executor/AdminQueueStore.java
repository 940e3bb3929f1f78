package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
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
 * sessions that wait for them.
 */
final class AdminQueueStore implements QueueStore {
  private final Supplier<ZooKeeper> admin;
  private final String queue;
  private final Consumer<Runnable> now;
  private final Consumer<Runnable> later;
  private final Map<Long, Set<InstanceSet>> locked = new HashMap<>();
  private volatile boolean closed;

  /**
   * @param now runs a task on the executor's thread
   * @param later runs a task after a short delay, on the executor's thread
   */
  AdminQueueStore(
      Supplier<ZooKeeper> admin, String queue, Consumer<Runnable> now, Consumer<Runnable> later) {
    this.admin = admin;
    this.queue = queue;
    this.now = now;
    this.later = later;
  }

  private String command(long number) {
    return ZnodePaths.numbered(ZooFencePaths.QUEUES + "/" + queue + "/c-", number);
  }

  @Override
  public void finish(
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      CommandOutcome outcome,
      Runnable then) {
    locked.remove(number);
    String session = ZooFencePaths.hex(command.session());
    var operations = new ArrayList<Op>();
    operations.add(
        create(
            ZnodePaths.child(ZooFencePaths.SESSIONS, session) + "/" + outcome.name(queue, number)));
    if (plan != null && outcome.error() == 0) {
      plan.owned().forEach((path, owner) -> operations.add(record(owner, path, number, command)));
    }
    operations.add(Op.delete(command(number), -1));
    submit(
        operations,
        () -> finish(number, command, plan, outcome, then),
        then,
        () -> orphaned(number, command, plan, then));
  }

  /**
   * Records the owner of a path. The record holds the credentials of the creator, which may be the
   * only ones that allow the removal.
   */
  private static Op record(long owner, String path, long number, QueueCommand made) {
    var whose = new ZnodeOwner(owner, number);
    return Op.create(
        whose.record(path),
        removal(whose, path, made).bytes(),
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT);
  }

  private static QueueCommand removal(ZnodeOwner whose, String path, QueueCommand made) {
    return whose.isSession()
        ? QueueCommand.reap(whose.owner(), path, made.credentials())
        : QueueCommand.expire(whose, path, -1, made.credentials());
  }

  /**
   * Handles a command of an ended session: no client waits for the outcome, and the znodes that the
   * session would own have to be removed.
   */
  private void orphaned(
      long number, QueueCommand command, @Nullable CommandPlan plan, Runnable then) {
    var operations = new ArrayList<Op>();
    if (plan != null && CommandPlan.possible(command)) {
      plan.owned()
          .forEach(
              (path, owner) ->
                  operations.add(
                      StatTranslator.isSession(owner)
                          ? queued(QueueCommand.reap(owner, path, command.credentials()))
                          : record(owner, path, number, command)));
    }
    operations.add(Op.delete(command(number), -1));
    submit(operations, () -> orphaned(number, command, plan, then), then, then);
  }

  private Op queued(QueueCommand command) {
    return Op.create(
        ZooFencePaths.QUEUES + "/" + queue + "/c-",
        command.bytes(),
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL);
  }

  @Override
  public void discard(long number, byte[] bytes) {
    try {
      CommandOutcome refused = OutcomeBuilder.failed(Code.BADARGUMENTS.intValue());
      finish(number, QueueCommand.read(bytes), null, refused, () -> {});
    } catch (IllegalArgumentException unreadable) {
      List<Op> operations = List.of(Op.delete(command(number), -1));
      submit(operations, () -> discard(number, bytes), () -> {}, () -> {});
    }
  }

  @Override
  public void report(long number, String refusal, Runnable then) {
    locked.remove(number);
    submit(
        List.of(
            Op.create(
                ZnodePaths.child(ZooFencePaths.MOVES, ZnodePaths.name(command(number))),
                refusal.getBytes(StandardCharsets.UTF_8),
                ZooDefs.Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT),
            Op.delete(command(number), -1)),
        () -> report(number, refusal, then),
        then,
        then);
  }

  @Override
  public void free(ZnodeOwner former, String path) {
    admin.get().delete(former.record(path), -1, (code, of, context) -> {}, null);
  }

  @Override
  public String holder(long number) {
    return queue + ":" + number;
  }

  private String grant(String of, String holder) {
    return ZooFencePaths.GRANTS + "/" + of + ":" + holder;
  }

  /**
   * Pauses a queue. A repeated call, as by a retried move, waits for the first request instead of
   * sending another.
   */
  @Override
  public void lock(InstanceSet smaller, long number, Runnable then) {
    if (locked.computeIfAbsent(number, command -> new HashSet<>()).add(smaller)) {
      submitLock(smaller, number, then);
    } else {
      awaitGrant(grant(ZooFencePaths.hex(smaller.bits()), holder(number)), then);
    }
  }

  private void submitLock(InstanceSet smaller, long number, Runnable then) {
    String other = ZooFencePaths.queue(smaller);
    ZooKeeper client = admin.get();
    client.create(
        other,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT,
        (code, path, context, made) -> {},
        null);
    client.create(
        other + "/c-",
        QueueCommand.lock(command(number)).bytes(),
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL,
        (code, path, context, made) -> {
          if (code == 0) {
            awaitGrant(grant(ZooFencePaths.hex(smaller.bits()), holder(number)), then);
          } else {
            again(() -> submitLock(smaller, number, then)); // A second one does no harm.
          }
        },
        null);
  }

  /** Retries a task after a short delay; a closed leader retries nothing. */
  private void again(Runnable work) {
    if (!closed) {
      later.accept(
          () -> {
            if (!closed) {
              work.run();
            }
          });
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  private void awaitGrant(String grant, Runnable then) {
    await(grant, true, then);
  }

  /** Runs a task when a znode exists, or when it no longer exists. */
  private void await(String path, boolean there, Runnable then) {
    var over = new AtomicBoolean();
    Watcher changed =
        event -> {
          if (event.getType() != EventType.None && over.compareAndSet(false, true) && !closed) {
            await(path, there, then);
          }
        };
    ZooKeeper client = admin.get();
    client.exists(
        path,
        changed,
        (code, of, context, stat) -> {
          boolean known = code == 0 || code == Code.NONODE.intValue();
          if (known && (code == 0) != there) {
            return; // The watch reports it.
          }
          if (!over.compareAndSet(false, true)) {
            return;
          }
          if (code == Code.NONODE.intValue()) {
            // The znode is never created again, so the watch would never fire and has to be
            // removed.
            client.removeWatches(
                path, changed, WatcherType.Any, true, (done, gone, ignored) -> {}, null);
          }
          if (known) {
            now.accept(then);
          } else {
            again(() -> await(path, there, then));
          }
        },
        null);
  }

  @Override
  public void stand(String other, Runnable then) {
    String holder = ZnodePaths.name(ZnodePaths.parent(other)) + ":" + QueueReader.number(other);
    String grant = grant(queue, holder);
    admin
        .get()
        .create(
            grant,
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT,
            (code, path, context, made) -> {
              if (code == 0 || code == Code.NODEEXISTS.intValue()) {
                now.accept(() -> awaitEnd(other, grant, then));
              } else {
                again(() -> stand(other, then));
              }
            },
            null);
  }

  /** Waits until the larger set's command is out of its queue; the pause lasts that long. */
  private void awaitEnd(String other, String grant, Runnable then) {
    await(
        other,
        false,
        () -> admin.get().delete(grant, -1, (done, of, ignored) -> now.accept(then), null));
  }

  private static Op create(String path) {
    return Op.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private void submit(List<Op> operations, Runnable again, Runnable then, Runnable otherwise) {
    admin
        .get()
        .multi(
            operations,
            (code, path, context, results) -> {
              if (code == 0) {
                now.accept(then);
              } else if (results == null) {
                later.accept(again);
              } else {
                now.accept(() -> settle(results, then, otherwise));
              }
            },
            null);
  }

  private static void settle(List<OpResult> results, Runnable then, Runnable otherwise) {
    int failed = 0;
    while (error(results.get(failed)) == 0) {
      failed++;
    }
    boolean told = error(results.get(failed)) == Code.NODEEXISTS.intValue();
    // In both cases an earlier attempt has succeeded.
    if (told || failed == results.size() - 1) {
      then.run();
    } else {
      otherwise.run();
    }
  }

  private static int error(OpResult result) {
    return ((OpResult.ErrorResult) result).getErr();
  }
}
