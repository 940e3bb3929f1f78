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
  private final Executor thread;
  private final Map<Long, Procedure> underWay = new HashMap<>();

  Procedures(
      InstanceSet set,
      Supplier<Flattening> flattening,
      QueueStore queueStore,
      QueueExecution execution,
      IntFunction<QueueReplica> replicas,
      Executor thread) {
    this.set = set;
    this.flattening = flattening;
    this.queueStore = queueStore;
    this.execution = execution;
    this.replicas = replicas;
    this.thread = thread;
  }

  /**
   * Pauses the queues of smaller sets, and reads the owners of the command's znodes into {@code
   * owners}, since other queues may have created these znodes. Then runs {@code then}.
   */
  void prepare(long number, QueueCommand command, ZnodeOwners owners, Runnable then) {
    List<Op> written = CommandPlan.written(command);
    var touched = new LinkedHashSet<String>();
    for (Op operation : written) {
      touched.add(operation.getPath());
      touched.add(ZnodePaths.parent(operation.getPath()));
    }
    touched.removeIf(path -> path.equals("/") || flattening.get().holdersOfParent(path).isSingle());
    lock(
        number,
        List.copyOf(new PlacedOperations(written, flattening.get()).queues(set)),
        () -> learn(List.copyOf(touched), owners, then));
  }

  private void learn(List<String> paths, ZnodeOwners owners, Runnable then) {
    if (paths.isEmpty()) {
      then.run();
      return;
    }
    String path = paths.get(0);
    QueueReplica holder = replicas.apply(flattening.get().holders(path).canonical());
    OwnerRecordReader.one(
        holder.client(),
        path,
        thread,
        owner -> {
          owners.learn(path, owner);
          learn(paths.subList(1, paths.size()), owners, then);
        },
        () -> holder.again(() -> learn(paths, owners, then)));
  }

  /** Pauses one queue after another, larger sets first, so that no two commands deadlock. */
  private void lock(long number, List<InstanceSet> smaller, Runnable then) {
    smaller.stream()
        .max(comparingInt(InstanceSet::size).thenComparingLong(InstanceSet::bits))
        .ifPresentOrElse(
            next ->
                queueStore.lock(
                    next,
                    number,
                    () ->
                        lock(
                            number,
                            smaller.stream().filter(one -> !one.equals(next)).toList(),
                            then)),
            then);
  }

  PlacedOperations placed(CommandPlan plan) {
    return new PlacedOperations(plan.operations(), flattening.get());
  }

  /** An instance is ready for its part in a command. */
  void ready(
      int instance, long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    of(number, command, plan, tree).ready(instance);
  }

  private Procedure of(long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    return underWay.computeIfAbsent(number, made -> made(number, command, plan, tree));
  }

  private Procedure made(
      long number, QueueCommand command, CommandPlan plan, CommandPlan.Tree tree) {
    Supplier<Set<Integer>> unanswered = () -> execution.unanswered(number);
    BiConsumer<Integer, InstanceResult> answered =
        (instance, result) -> execution.answered(instance, number, result);
    return command.type() == OpCode.setACL
        ? new AclChange(number, command, set, replicas, thread, unanswered, answered)
        : new CrossInstanceCommit(
            number,
            command,
            plan,
            plan.refusal(command, tree),
            placed(plan),
            set,
            queueStore.holder(number),
            replicas,
            unanswered,
            answered);
  }

  void reached() {
    List.copyOf(underWay.values()).forEach(Procedure::reached);
  }

  void lost(int instance) {
    underWay.values().forEach(covering -> covering.lost(instance));
  }

  /**
   * Releases the locks of a command that has ended, then passes on the results of its operations.
   */
  void end(
      long number,
      QueueCommand command,
      CommandPlan plan,
      CommandPlan.Tree tree,
      Consumer<List<@Nullable OpResult>> then) {
    Procedure ended = of(number, command, plan, tree);
    ended.end(
        () -> {
          if (underWay.remove(number) != null) {
            then.accept(ended.results());
          }
        });
  }
}
