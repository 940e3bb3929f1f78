package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
  private final Supplier<ZooKeeper> client;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private boolean isTtlSupported;

  public PlanInputReader(
      SequentialNumbering numbering,
      Supplier<ZooKeeper> client,
      Executor executor,
      Consumer<Runnable> delayedExecutor) {
    this.numbering = numbering;
    this.client = client;
    this.executor = executor;
    this.delayedExecutor = delayedExecutor;
  }

  /** Whether the instances support a time to live, by the last response. */
  public boolean isTtlSupported() {
    return isTtlSupported;
  }

  /** Reads the input of a command, then runs {@code callback}. */
  public void read(QueueCommand command, Runnable callback) {
    Runnable readCounts = () -> read(numbering.findUnknownParents(command), callback);
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
    client
        .get()
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

  private void read(List<String> parents, Runnable callback) {
    if (parents.isEmpty()) {
      callback.run();
      return;
    }
    String parent = parents.get(0);
    client
        .get()
        .exists(
            parent,
            false,
            (code, path, context, stat) ->
                executor.execute(
                    () -> {
                      if (code != 0 && code != Code.NONODE.intValue()) {
                        delayedExecutor.accept(() -> read(parents, callback));
                        return;
                      }
                      if (code == 0) {
                        numbering.recordNumbers(parent, stat);
                      }
                      read(parents.subList(1, parents.size()), callback);
                    }),
            null);
  }
}
