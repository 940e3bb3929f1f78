package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Finds the outcome of a command that took effect. The responses of the deciding instances give the
 * outcome; where a response was lost, the znode's current state gives it.
 */
public final class OutcomeResolver {
  /** Reads the current state of a znode at an instance. */
  interface Question {
    /**
     * Asks once.
     *
     * @param callback receives ZooKeeper's code, and the stat if there is one
     */
    void readState(int instance, String path, BiConsumer<Integer, @Nullable Stat> callback);
  }

  private final QueueCommand command;
  private final CommandPlan plan;
  private final PlacedOperations placedOperations;
  private final int canonical;
  private final long zxid;
  private final Map<Integer, InstanceResult> results;
  private final List<@Nullable OpResult> resolvedResults = new ArrayList<>();
  private final ToLongFunction<String> owners;
  private final Question stateReader;
  private final Consumer<Runnable> delayedExecutor;
  private final Consumer<CommandOutcome> callback;

  /**
   * @param results the results of all instances of the set
   * @param operationResults the results of the client's operations, each from the instance that
   *     decides it, where a response arrived; empty if all instances did the same
   * @param delayedExecutor runs a task after a short delay, as long as the outcome is needed
   */
  public OutcomeResolver(
      QueueCommand command,
      CommandPlan plan,
      PlacedOperations placedOperations,
      InstanceSet set,
      Map<Integer, InstanceResult> results,
      List<? extends @Nullable OpResult> operationResults,
      ToLongFunction<String> owners,
      Question stateReader,
      Consumer<Runnable> delayedExecutor,
      Consumer<CommandOutcome> callback) {
    this.command = command;
    this.plan = plan;
    this.placedOperations = placedOperations;
    this.canonical = set.canonical();
    this.owners = owners;
    this.stateReader = stateReader;
    this.delayedExecutor = delayedExecutor;
    this.callback = callback;
    this.results = Map.copyOf(results);
    InstanceResult canonicalResult = results.get(canonical);
    zxid = zxidAt(canonical);
    if (!operationResults.isEmpty()) {
      resolvedResults.addAll(operationResults);
    } else if (canonicalResult instanceof InstanceResult.Done done) {
      resolvedResults.addAll(done.results());
    }
    while (resolvedResults.size() < plan.operations().size()) {
      resolvedResults.add(null);
    }
  }

  /** The command's transaction at an instance; 0 if the instance has not executed the command. */
  private long zxidAt(int instance) {
    InstanceResult result = results.get(instance);
    return result instanceof InstanceResult.Done done
        ? done.zxid()
        : result instanceof InstanceResult.Remembered remembered ? remembered.zxid() : 0;
  }

  /** Asks the instances themselves, with the rights of the client. */
  public static Question createReader(
      IntFunction<QueueReplica> replicas,
      List<QueueCommand.Credential> credentials,
      Executor executor) {
    return (instance, path, then) ->
        replicas
            .apply(instance)
            .client(credentials)
            .exists(
                path,
                false,
                (code, of, context, stat) -> executor.execute(() -> then.accept(code, stat)),
                null);
  }

  public void begin() {
    resolve(0);
  }

  private void resolve(int index) {
    if (index == plan.operations().size()) {
      callback.accept(
          OutcomeBuilder.buildSuccess(
              command, plan, placedOperations, canonical, zxid, owners, resolvedResults));
      return;
    }
    if (resolvedResults.get(index) != null) {
      resolve(index + 1);
      return;
    }
    Op operation = plan.operations().get(index);
    int instance = placedOperations.decidingInstance(index);
    stateReader.readState(
        instance,
        operation.getPath(),
        (code, stat) -> {
          // A client that may not read the znode gets a result without the current state.
          if (code == 0 || code == Code.NONODE.intValue() || PlanInputReader.isForbidden(code)) {
            resolvedResults.set(
                index,
                command.type() == OpCode.setACL
                    ? new OpResult.SetDataResult(stat == null ? new Stat() : stat)
                    : ReconstructedResult.reconstruct(operation, zxidAt(instance), stat));
            resolve(index + 1);
          } else {
            delayedExecutor.accept(
                () -> resolve(index)); // No response arrived from the instance; ask again.
          }
        });
  }
}
