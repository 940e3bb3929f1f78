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
  private final BiConsumer<Integer, InstanceResult> resultRecorder;
  private final Set<Integer> readyInstances = new HashSet<>();
  private final Map<Integer, OpResult> results = new HashMap<>();
  private final Set<Integer> inFlight = new HashSet<>();
  private @Nullable Runnable onUnlocked;
  private int attempt;

  /**
   * @param refusal an operation that fails by state that only the leader has; null if there is none
   * @param holder the name under which the command locks
   * @param unanswered the instances that have neither answered nor recorded the command
   * @param resultRecorder receives the result of each instance
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
      BiConsumer<Integer, InstanceResult> resultRecorder) {
    this.number = number;
    this.command = command;
    this.plan = plan;
    this.refusal = refusal;
    this.placedOperations = placedOperations;
    this.set = set;
    this.holder = holder;
    this.replicas = replicas;
    this.unanswered = unanswered;
    this.resultRecorder = resultRecorder;
  }

  @Override
  public void handleReady(int instance) {
    readyInstances.add(instance);
    begin();
  }

  /** Ends the attempt; a new attempt begins when the instance is reached. */
  @Override
  public void handleLost(int instance) {
    readyInstances.remove(instance);
    inFlight.remove(instance);
    attempt++;
  }

  private void begin() {
    Set<Integer> targets = unanswered.get();
    // Parts in flight at other instances must be answered first: they must not be sent twice.
    if (!targets.isEmpty() && inFlight.isEmpty() && readyInstances.containsAll(targets)) {
      int startedAttempt = ++attempt;
      boolean isBegun = targets.size() < set.size();
      lock(startedAttempt, 0, () -> decide(startedAttempt, targets, isBegun));
    }
  }

  @Override
  public List<@Nullable OpResult> results() {
    var operationResults = new ArrayList<@Nullable OpResult>();
    for (int index = 0; index < plan.operations().size(); index++) {
      operationResults.add(results.get(index));
    }
    return Collections.unmodifiableList(operationResults);
  }

  /** Releases all locks. */
  @Override
  public void end(Runnable callback) {
    onUnlocked = callback;
    handleReached();
  }

  /** Retries to release locks after a failure. */
  @Override
  public void handleReached() {
    Runnable callback = onUnlocked;
    if (callback == null) {
      return;
    }
    int startedAttempt = ++attempt;
    runAtEach(
        startedAttempt,
        set.numbers(),
        (instance, done) ->
            replicas
                .apply(instance)
                .changeLocks(locks -> locks.without(holder), locks -> true, List.of(), done),
        callback);
  }

  private interface Step {
    void runAt(int instance, Runnable done);
  }

  private void runAtEach(
      int startedAttempt, List<Integer> instances, Step step, Runnable callback) {
    var remaining = new HashSet<>(instances);
    for (int instance : instances) {
      step.runAt(
          instance,
          () -> {
            if (startedAttempt == attempt && remaining.remove(instance) && remaining.isEmpty()) {
              callback.run();
            }
          });
    }
  }

  /**
   * Locks one instance after another, in one order for all commands, so that no two commands
   * deadlock.
   */
  private void lock(int startedAttempt, int index, Runnable callback) {
    if (startedAttempt != attempt) {
      return;
    }
    if (index == set.size()) {
      callback.run();
      return;
    }
    int instance = set.numbers().get(index);
    List<InstanceLocks.Lock> requiredLocks = placedOperations.locks(holder, instance);
    replicas
        .apply(instance)
        .changeLocks(
            locks -> locks.with(requiredLocks),
            locks -> !locks.hasConflict(requiredLocks),
            List.of(),
            () -> lock(startedAttempt, index + 1, callback));
  }

  private void decide(int startedAttempt, Set<Integer> targets, boolean isBegun) {
    if (isBegun) {
      // Some instance has applied its part. All others can, since the locks have been held since.
      applyAll(targets);
      return;
    }
    var errors = new HashMap<Integer, List<Integer>>();
    runAtEach(
        startedAttempt,
        List.copyOf(targets),
        (instance, done) ->
            replicas
                .apply(instance)
                .testOperations(
                    command,
                    operationsAt(instance).subList(0, countTried(instance)),
                    instanceErrors -> {
                      errors.put(instance, instanceErrors);
                      done.run();
                    }),
        () -> {
          List<Integer> refusalErrors = findErrors(errors);
          if (refusalErrors.isEmpty()) {
            applyAll(targets);
          } else {
            targets.forEach(
                instance ->
                    resultRecorder.accept(instance, new InstanceResult.Refused(refusalErrors)));
          }
        });
  }

  /** The number of an instance's operations before the one that fails in any case. */
  private int countTried(int instance) {
    List<Integer> positions = placedOperations.positionsAt(instance);
    return refusal == null
        ? positions.size()
        : (int) positions.stream().filter(position -> position < refusal.index()).count();
  }

  /** The errors as a single server would report them; empty if there is no error. */
  private List<Integer> findErrors(Map<Integer, List<Integer>> errors) {
    int count = plan.operations().size();
    int failedIndex = refusal == null ? count : refusal.index();
    int refusalError = refusal == null ? 0 : refusal.code().intValue();
    for (var entry : errors.entrySet()) {
      List<Integer> positions = placedOperations.positionsAt(entry.getKey());
      for (int i = 0; i < entry.getValue().size(); i++) {
        int error = entry.getValue().get(i);
        if (error != 0 && error != RUNTIME_INCONSISTENCY && positions.get(i) < failedIndex) {
          failedIndex = positions.get(i);
          refusalError = error;
        }
      }
    }
    if (failedIndex == count) {
      return List.of();
    }
    var allErrors = new ArrayList<Integer>();
    for (int index = 0; index < count; index++) {
      allErrors.add(
          index < failedIndex ? 0 : index == failedIndex ? refusalError : RUNTIME_INCONSISTENCY);
    }
    return allErrors;
  }

  private List<Op> operationsAt(int instance) {
    return placedOperations.positionsAt(instance).stream()
        .map(position -> placedOperations.operation(position, instance))
        .toList();
  }

  private void applyAll(Set<Integer> targets) {
    inFlight.addAll(targets);
    for (int instance : targets) {
      replicas
          .apply(instance)
          .apply(
              number,
              command,
              operationsAt(instance),
              plan.recordOperations(number),
              plan.createSlot(number),
              result -> recordPart(instance, result));
    }
  }

  private void recordPart(int instance, InstanceResult result) {
    inFlight.remove(instance);
    if (result instanceof InstanceResult.Done done) {
      List<Integer> positions = placedOperations.positionsAt(instance);
      for (int i = 0; i < positions.size(); i++) {
        if (placedOperations.decidingInstance(positions.get(i)) == instance) {
          results.put(positions.get(i), done.results().get(i));
        }
      }
    }
    resultRecorder.accept(instance, result);
    if (inFlight.isEmpty()) {
      begin();
    }
  }
}
