package io.ensemble.zoofence.queue.executor;

import static java.util.Comparator.comparingInt;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.PlacedOperations;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.jspecify.annotations.Nullable;

/** The commands of a queue that take several steps at their instances. */
final class Procedures {
  private final InstanceSet set;
  private final Supplier<Flattening> flattening;
  private final QueueStore queueStore;
  private final QueueExecution execution;
  private final IntFunction<QueueReplica> replicas;
  private final Executor executor;
  private final Map<Long, Procedure> active = new HashMap<>();

  Procedures(
      InstanceSet set,
      Supplier<Flattening> flattening,
      QueueStore queueStore,
      QueueExecution execution,
      IntFunction<QueueReplica> replicas,
      Executor executor) {
    this.set = set;
    this.flattening = flattening;
    this.queueStore = queueStore;
    this.execution = execution;
    this.replicas = replicas;
    this.executor = executor;
  }

  /**
   * Pauses the queues of smaller sets, and reads the owners of the command's znodes into {@code
   * owners}, since other queues may have created these znodes. Then runs {@code callback}.
   */
  void prepare(long number, QueueCommand command, ZnodeOwners owners, Runnable callback) {
    List<Op> operations = CommandPlan.readOperations(command);
    var touchedPaths = new LinkedHashSet<String>();
    for (Op operation : operations) {
      touchedPaths.add(operation.getPath());
      touchedPaths.add(ZnodePaths.parent(operation.getPath()));
    }
    touchedPaths.removeIf(
        path -> path.equals("/") || flattening.get().holdersOfParent(path).isSingle());
    lock(
        number,
        List.copyOf(new PlacedOperations(operations, flattening.get()).queuesToPause(set)),
        () -> readOwners(List.copyOf(touchedPaths), owners, callback));
  }

  private void readOwners(List<String> paths, ZnodeOwners owners, Runnable callback) {
    if (paths.isEmpty()) {
      callback.run();
      return;
    }
    String path = paths.get(0);
    QueueReplica replica = replicas.apply(flattening.get().holders(path).canonical());
    OwnerRecordReader.readOne(
        replica.client(),
        path,
        executor,
        owner -> {
          owners.recordOwner(path, owner);
          readOwners(paths.subList(1, paths.size()), owners, callback);
        },
        () -> replica.runLater(() -> readOwners(paths, owners, callback)));
  }

  /** Pauses one queue after another, larger sets first, so that no two commands deadlock. */
  private void lock(long number, List<InstanceSet> smallerSets, Runnable callback) {
    smallerSets.stream()
        .max(comparingInt(InstanceSet::size).thenComparingLong(InstanceSet::bits))
        .ifPresentOrElse(
            largest ->
                queueStore.lock(
                    largest,
                    number,
                    () ->
                        lock(
                            number,
                            smallerSets.stream().filter(other -> !other.equals(largest)).toList(),
                            callback)),
            callback);
  }

  PlacedOperations placeOperations(CommandPlan plan) {
    return new PlacedOperations(plan.operations(), flattening.get());
  }

  /** An instance is ready for its part in a command. */
  void handleReady(
      int instance, long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    findOrCreate(number, command, plan, tree).handleReady(instance);
  }

  private Procedure findOrCreate(
      long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    return active.computeIfAbsent(number, key -> createProcedure(number, command, plan, tree));
  }

  private Procedure createProcedure(
      long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    Supplier<Set<Integer>> unanswered = () -> execution.findUnanswered(number);
    BiConsumer<Integer, InstanceResult> resultRecorder =
        (instance, result) -> execution.recordResult(instance, number, result);
    return command.type() == OpCode.setACL
        ? new AclChange(number, command, set, replicas, executor, unanswered, resultRecorder)
        : new CrossInstanceCommit(
            number,
            command,
            plan,
            plan.refusal(command, tree),
            placeOperations(plan),
            set,
            queueStore.holder(number),
            replicas,
            unanswered,
            resultRecorder);
  }

  void handleReached() {
    List.copyOf(active.values()).forEach(Procedure::handleReached);
  }

  void handleLost(int instance) {
    active.values().forEach(procedure -> procedure.handleLost(instance));
  }

  /**
   * Releases the locks of a command that has ended, then passes on the results of its operations.
   */
  void end(
      long number,
      QueueCommand command,
      CommandPlan plan,
      CommandPlan.Tree tree,
      Consumer<List<@Nullable OpResult>> callback) {
    Procedure procedure = findOrCreate(number, command, plan, tree);
    procedure.end(
        () -> {
          if (active.remove(number) != null) {
            callback.accept(procedure.results());
          }
        });
  }
}
