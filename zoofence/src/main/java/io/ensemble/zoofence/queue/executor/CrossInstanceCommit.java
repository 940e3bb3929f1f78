package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.LocalRefusal;
import io.ensemble.zoofence.queue.plan.PlacedOperations;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * A command for which the instances execute different operations: all of them or none, and no
 * client sees an intermediate state. The leader first pauses the queues of smaller sets. Then it
 * locks the paths of the command at each instance. Then each instance reports whether its part
 * would succeed; the leader executes the command only if all parts would.
 *
 * <p>The command in its queue is the intent, and the slots show its progress. The next leader of
 * the queue therefore starts again from the first step, and skips the steps that are done.
 */
final class CrossInstanceCommit implements Procedure {
  private static final int RUNTIME_INCONSISTENCY = Code.RUNTIMEINCONSISTENCY.intValue();

  private final long number;
  private final QueueCommand command;
  private final CommandPlan plan;
  private final @Nullable LocalRefusal refusal;
  private final PlacedOperations placedOperations;
  private final InstanceSet set;
  private final String holder;
  private final IntFunction<QueueReplica> replicas;
  private final Supplier<Set<Integer>> unanswered;
  private final BiConsumer<Integer, InstanceResult> answered;
  private final Set<Integer> ready = new HashSet<>();
  private final Map<Integer, OpResult> results = new HashMap<>();
  private final Set<Integer> underWay = new HashSet<>();
  private @Nullable Runnable unlocked;
  private int attempt;

  /**
   * @param refusal an operation that fails by state that only the leader has; null if there is none
   * @param holder the name under which the command locks
   * @param unanswered the instances that have neither answered nor recorded the command
   * @param answered receives the result of each instance
   */
  CrossInstanceCommit(
      long number,
      QueueCommand command,
      CommandPlan plan,
      @Nullable LocalRefusal refusal,
      PlacedOperations placedOperations,
      InstanceSet set,
      String holder,
      IntFunction<QueueReplica> replicas,
      Supplier<Set<Integer>> unanswered,
      BiConsumer<Integer, InstanceResult> answered) {
    this.number = number;
    this.command = command;
    this.plan = plan;
    this.refusal = refusal;
    this.placedOperations = placedOperations;
    this.set = set;
    this.holder = holder;
    this.replicas = replicas;
    this.unanswered = unanswered;
    this.answered = answered;
  }

  @Override
  public void ready(int instance) {
    ready.add(instance);
    begin();
  }

  /** Ends the attempt; a new attempt begins when the instance is reached. */
  @Override
  public void lost(int instance) {
    ready.remove(instance);
    underWay.remove(instance);
    attempt++;
  }

  private void begin() {
    Set<Integer> needed = unanswered.get();
    // Parts in flight at other instances must be answered first: they must not be sent twice.
    if (!needed.isEmpty() && underWay.isEmpty() && ready.containsAll(needed)) {
      int mine = ++attempt;
      boolean begun = needed.size() < set.size();
      lock(mine, 0, () -> decide(mine, needed, begun));
    }
  }

  @Override
  public List<@Nullable OpResult> results() {
    var all = new ArrayList<@Nullable OpResult>();
    for (int place = 0; place < plan.operations().size(); place++) {
      all.add(results.get(place));
    }
    return Collections.unmodifiableList(all);
  }

  /** Releases all locks. */
  @Override
  public void end(Runnable then) {
    unlocked = then;
    reached();
  }

  /** Retries to release locks after a failure. */
  @Override
  public void reached() {
    Runnable then = unlocked;
    if (then == null) {
      return;
    }
    int mine = ++attempt;
    each(
        mine,
        set.numbers(),
        (instance, done) ->
            replicas
                .apply(instance)
                .guard(locks -> locks.without(holder), locks -> true, List.of(), done),
        then);
  }

  private interface Step {
    void at(int instance, Runnable done);
  }

  private void each(int mine, List<Integer> instances, Step step, Runnable then) {
    var left = new HashSet<>(instances);
    for (int instance : instances) {
      step.at(
          instance,
          () -> {
            if (mine == attempt && left.remove(instance) && left.isEmpty()) {
              then.run();
            }
          });
    }
  }

  /**
   * Locks one instance after another, in one order for all commands, so that no two commands
   * deadlock.
   */
  private void lock(int mine, int place, Runnable then) {
    if (mine != attempt) {
      return;
    }
    if (place == set.size()) {
      then.run();
      return;
    }
    int instance = set.numbers().get(place);
    List<InstanceLocks.Lock> wanted = placedOperations.locks(holder, instance);
    replicas
        .apply(instance)
        .guard(
            locks -> locks.with(wanted),
            locks -> !locks.meet(wanted),
            List.of(),
            () -> lock(mine, place + 1, then));
  }

  private void decide(int mine, Set<Integer> needed, boolean begun) {
    if (begun) {
      // Some instance has applied its part. All others can, since the locks have been held since.
      carryOut(needed);
      return;
    }
    var errors = new HashMap<Integer, List<Integer>>();
    each(
        mine,
        List.copyOf(needed),
        (instance, done) ->
            replicas
                .apply(instance)
                .tryOut(
                    command,
                    own(instance).subList(0, tried(instance)),
                    found -> {
                      errors.put(instance, found);
                      done.run();
                    }),
        () -> {
          List<Integer> first = firstError(errors);
          if (first.isEmpty()) {
            carryOut(needed);
          } else {
            needed.forEach(
                instance -> answered.accept(instance, new InstanceResult.Refused(first)));
          }
        });
  }

  /** The number of an instance's operations before the one that fails in any case. */
  private int tried(int instance) {
    List<Integer> places = placedOperations.at(instance);
    return refusal == null
        ? places.size()
        : (int) places.stream().filter(place -> place < refusal.place()).count();
  }

  /** The errors as a single server would report them; empty if there is no error. */
  private List<Integer> firstError(Map<Integer, List<Integer>> errors) {
    int count = plan.operations().size();
    int failed = refusal == null ? count : refusal.place();
    int why = refusal == null ? 0 : refusal.why().intValue();
    for (var one : errors.entrySet()) {
      List<Integer> places = placedOperations.at(one.getKey());
      for (int i = 0; i < one.getValue().size(); i++) {
        int error = one.getValue().get(i);
        if (error != 0 && error != RUNTIME_INCONSISTENCY && places.get(i) < failed) {
          failed = places.get(i);
          why = error;
        }
      }
    }
    if (failed == count) {
      return List.of();
    }
    var all = new ArrayList<Integer>();
    for (int place = 0; place < count; place++) {
      all.add(place < failed ? 0 : place == failed ? why : RUNTIME_INCONSISTENCY);
    }
    return all;
  }

  private List<Op> own(int instance) {
    return placedOperations.at(instance).stream()
        .map(place -> placedOperations.operation(place, instance))
        .toList();
  }

  private void carryOut(Set<Integer> needed) {
    underWay.addAll(needed);
    for (int instance : needed) {
      replicas
          .apply(instance)
          .apply(
              number,
              command,
              own(instance),
              plan.records(number),
              plan.slot(number),
              result -> took(instance, result));
    }
  }

  private void took(int instance, InstanceResult result) {
    underWay.remove(instance);
    if (result instanceof InstanceResult.Done done) {
      List<Integer> places = placedOperations.at(instance);
      for (int i = 0; i < places.size(); i++) {
        if (placedOperations.deciding(places.get(i)) == instance) {
          results.put(places.get(i), done.results().get(i));
        }
      }
    }
    answered.accept(instance, result);
    if (underWay.isEmpty()) {
      begin();
    }
  }
}
