package io.ensemble.zoofence.queue;

import static java.util.Comparator.comparingInt;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
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
  private final Desk desk;
  private final Execution execution;
  private final IntFunction<Replica> replicas;
  private final Executor thread;
  private final Map<Long, Procedure> underWay = new HashMap<>();

  Procedures(
      InstanceSet set,
      Supplier<Flattening> flattening,
      Desk desk,
      Execution execution,
      IntFunction<Replica> replicas,
      Executor thread) {
    this.set = set;
    this.flattening = flattening;
    this.desk = desk;
    this.execution = execution;
    this.replicas = replicas;
    this.thread = thread;
  }

  /**
   * The queues of smaller sets stand still when {@code then} is run, and {@code owners} knows whose
   * the znodes are that the command touches: other queues may have made them.
   */
  void prepare(long number, Command command, Owners owners, Runnable then) {
    List<Op> written = Plan.written(command);
    var touched = new LinkedHashSet<String>();
    for (Op operation : written) {
      touched.add(operation.getPath());
      touched.add(Paths.parent(operation.getPath()));
    }
    touched.removeIf(path -> path.equals("/") || flattening.get().holdersOfParent(path).isSingle());
    lock(
        number,
        List.copyOf(new Placed(written, flattening.get()).queues(set)),
        () -> learn(List.copyOf(touched), owners, then));
  }

  private void learn(List<String> paths, Owners owners, Runnable then) {
    if (paths.isEmpty()) {
      then.run();
      return;
    }
    String path = paths.get(0);
    Replica holder = replicas.apply(flattening.get().holders(path).canonical());
    OwnedRecords.one(
        holder.client(),
        path,
        thread,
        owner -> {
          owners.learn(path, owner);
          learn(paths.subList(1, paths.size()), owners, then);
        },
        () -> holder.again(() -> learn(paths, owners, then)));
  }

  /** One after the other, the larger set first: so no two commands wait for each other. */
  private void lock(long number, List<InstanceSet> smaller, Runnable then) {
    smaller.stream()
        .max(comparingInt(InstanceSet::size).thenComparingLong(InstanceSet::bits))
        .ifPresentOrElse(
            next ->
                desk.lock(
                    next,
                    number,
                    () ->
                        lock(
                            number,
                            smaller.stream().filter(one -> !one.equals(next)).toList(),
                            then)),
            then);
  }

  Placed placed(Plan plan) {
    return new Placed(plan.operations(), flattening.get());
  }

  /** An instance can take its part in a command. */
  void ready(int instance, long number, Command command, Plan plan, Plan.Tree tree) {
    of(number, command, plan, tree).ready(instance);
  }

  private Procedure of(long number, Command command, Plan plan, Plan.Tree tree) {
    return underWay.computeIfAbsent(number, made -> made(number, command, plan, tree));
  }

  private Procedure made(long number, Command command, Plan plan, Plan.Tree tree) {
    Supplier<Set<Integer>> unanswered = () -> execution.unanswered(number);
    BiConsumer<Integer, Result> answered =
        (instance, result) -> execution.answered(instance, number, result);
    return command.type() == OpCode.setACL
        ? new AclChange(number, command, set, replicas, thread, unanswered, answered)
        : new Covering(
            number,
            command,
            plan,
            plan.refusal(command, tree),
            placed(plan),
            set,
            desk.holder(number),
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

  /** Gives the locks of a command back that has ended, then tells what its operations answered. */
  void end(
      long number,
      Command command,
      Plan plan,
      Plan.Tree tree,
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
