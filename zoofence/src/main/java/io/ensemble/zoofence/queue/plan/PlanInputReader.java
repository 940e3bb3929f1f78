package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * Reads from an instance the input of a plan: how many children the parents have had, and whether
 * the instance supports a time to live. The reader retries until there is a response.
 */
public final class PlanInputReader {
  private final SequentialNumbering numbering;
  private final Function<List<QueueCommand.Credential>, ZooKeeper> clients;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private final Set<String> unreadableParents = new HashSet<>();
  private boolean isTtlSupported;

  /**
   * @param clients gives a client of the instance with these credentials
   * @param delayedExecutor runs a task after a short delay, on the executor's thread
   */
  public PlanInputReader(
      SequentialNumbering numbering,
      Function<List<QueueCommand.Credential>, ZooKeeper> clients,
      Executor executor,
      Consumer<Runnable> delayedExecutor) {
    this.numbering = numbering;
    this.clients = clients;
    this.executor = executor;
    this.delayedExecutor = delayedExecutor;
  }

  /** Whether the instances support a time to live, by the last response. */
  public boolean isTtlSupported() {
    return isTtlSupported;
  }

  /**
   * Whether the command that was read last may know the number of the next sequential child. A
   * client that may not read a znode receives no count of its children.
   */
  public boolean isNumberReadable(String parent) {
    return !unreadableParents.contains(parent);
  }

  /** Clears the numbers that a plan has assigned below parents whose count is unknown. */
  public void clearUnreadable() {
    unreadableParents.forEach(numbering::clearParent);
  }

  /** Reads the input of a command, then runs {@code callback}. */
  public void read(QueueCommand command, Runnable callback) {
    Runnable readCounts =
        () -> {
          List<String> parents = numbering.findUnknownParents(command);
          unreadableParents.clear();
          readCounts(command.credentials(), parents, callback);
        };
    boolean hasTtl =
        CommandPlan.readOperations(command).stream()
            .anyMatch(
                operation ->
                    CommandPlan.isCreate(operation.getType())
                        && ZnodeCreation.of(operation).mode().isTTL());
    if (hasTtl) {
      readTtlSupport(readCounts);
    } else {
      readCounts.run();
    }
  }

  /**
   * Tries a znode with a time to live, in a transaction that always fails at its last operation.
   */
  private void readTtlSupport(Runnable callback) {
    Op probe =
        Op.create(
            ZooFencePaths.NEVER + "-lives",
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT_WITH_TTL,
            1);
    clients
        .apply(List.of())
        .multi(
            List.of(probe, Op.check(ZooFencePaths.NEVER, 0)),
            (code, path, context, results) ->
                executor.execute(
                    () -> {
                      if (results == null || results.isEmpty()) {
                        delayedExecutor.accept(() -> readTtlSupport(callback));
                      } else {
                        int error = ((OpResult.ErrorResult) results.get(0)).getErr();
                        isTtlSupported = error != Code.UNIMPLEMENTED.intValue();
                        callback.run();
                      }
                    }),
            null);
  }

  private void readCounts(
      List<QueueCommand.Credential> credentials, List<String> parents, Runnable callback) {
    if (parents.isEmpty()) {
      callback.run();
      return;
    }
    String parent = parents.get(0);
    clients
        .apply(credentials)
        .exists(
            parent,
            false,
            (code, path, context, stat) ->
                executor.execute(
                    () -> {
                      if (isForbidden(code)) {
                        unreadableParents.add(parent);
                      } else if (code != 0 && code != Code.NONODE.intValue()) {
                        delayedExecutor.accept(() -> readCounts(credentials, parents, callback));
                        return;
                      }
                      if (code == 0) {
                        numbering.recordNumbers(parent, stat);
                      }
                      readCounts(credentials, parents.subList(1, parents.size()), callback);
                    }),
            null);
  }

  /** Whether a read failed because of the client's rights, so that a repetition fails as well. */
  static boolean isForbidden(int code) {
    return code == Code.NOAUTH.intValue() || code == Code.AUTHFAILED.intValue();
  }
}
