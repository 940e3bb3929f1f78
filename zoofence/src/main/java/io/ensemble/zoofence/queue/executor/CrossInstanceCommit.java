package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.CommitPart;
import io.ensemble.zoofence.queue.plan.LocalRefusal;
import io.ensemble.zoofence.queue.plan.PlacedOperations;
import io.ensemble.zoofence.queue.replica.CommitParticipant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command for which the instances execute different operations: all of them or none, and no
 * client sees an intermediate state. The leader first pauses the queues of smaller sets. Then it
 * locks the paths of the command at each instance. Then each instance reports whether its part
 * would succeed; the leader executes the command only if all parts would.
 *
 * <p>Locks do not keep an instance from removing znodes by itself: those of an expired session, and
 * containers and znodes with a time to live. Therefore one instance with operations on such paths
 * executes its part first, and thereby decides the command. Afterwards the other parts are
 * completed, whatever their instances have removed since ({@link CommitPart}).
 *
 * <p>The command in its queue is the intent, and the slots show its progress. The next leader of
 * the queue therefore starts again from the first step, and skips the steps that are done.
 */
final class CrossInstanceCommit implements Procedure {
  private static final Logger log = LoggerFactory.getLogger(CrossInstanceCommit.class);
  private static final int RUNTIME_INCONSISTENCY = Code.RUNTIMEINCONSISTENCY.intValue();

  private final long number;
  private final QueueCommand command;
  private final CommandPlan plan;
  private final @Nullable LocalRefusal refusal;
  private final PlacedOperations placedOperations;
  private final InstanceSet set;
  private final String holder;
  private final IntFunction<? extends CommitParticipant> participants;
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
   * @param participants gives the instances by their numbers
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
      IntFunction<? extends CommitParticipant> participants,
      Supplier<Set<Integer>> unanswered,
      BiConsumer<Integer, InstanceResult> resultRecorder) {
    this.number = number;
    this.command = command;
    this.plan = plan;
    this.refusal = refusal;
    this.placedOperations = placedOperations;
    this.set = set;
    this.holder = holder;
    this.participants = participants;
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

  /**
   * Retries to release locks after a failure. Continues a commit in which the slots of the instance
   * have replaced a lost response, since other instances may wait for it.
   */
  @Override
  public void handleReached() {
    Runnable callback = onUnlocked;
    if (callback == null) {
      begin();
      return;
    }
    int startedAttempt = ++attempt;
    runAtEach(
        startedAttempt,
        set.numbers(),
        (instance, done) ->
            participants
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
    participants
        .apply(instance)
        .changeLocks(
            locks -> locks.with(requiredLocks),
            locks -> !locks.hasConflict(requiredLocks),
            List.of(),
            () -> lock(startedAttempt, index + 1, callback));
  }

  private void decide(int startedAttempt, Set<Integer> targets, boolean isBegun) {
    if (isBegun) {
      completeParts(targets);
      return;
    }
    var errors = new HashMap<Integer, List<Integer>>();
    runAtEach(
        startedAttempt,
        List.copyOf(targets),
        (instance, done) ->
            participants
                .apply(instance)
                .testOperations(
                    command,
                    CommitPart.of(placedOperations, instance)
                        .operations()
                        .subList(0, countTried(instance)),
                    instanceErrors -> {
                      errors.put(instance, instanceErrors);
                      done.run();
                    }),
        () -> {
          List<Integer> refusalErrors = findErrors(errors);
          if (!refusalErrors.isEmpty()) {
            refuse(targets, refusalErrors);
          } else {
            placedOperations
                .findDecider(set)
                .ifPresentOrElse(
                    decider -> applyDeciding(startedAttempt, decider, targets),
                    () -> completeParts(targets));
          }
        });
  }

  private void refuse(Set<Integer> targets, List<Integer> errors) {
    targets.forEach(
        instance -> resultRecorder.accept(instance, new InstanceResult.Refused(errors)));
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

  /**
   * Executes the part whose result decides the command. The locks do not keep an instance from
   * removing znodes of an expired session since the test, so this part may be refused. No other
   * part has been executed by then.
   */
  private void applyDeciding(int startedAttempt, int decider, Set<Integer> targets) {
    CommitPart part = CommitPart.of(placedOperations, decider);
    inFlight.add(decider);
    applyPart(
        decider,
        part,
        result -> {
          if (result instanceof InstanceResult.Refused refused) {
            inFlight.remove(decider);
            List<Integer> errors = findErrors(Map.of(decider, refused.errors()));
            refuse(
                targets,
                errors.isEmpty()
                    ? Collections.nCopies(plan.operations().size(), RUNTIME_INCONSISTENCY)
                    : errors);
            return;
          }
          recordPart(decider, part, result);
          if (startedAttempt == attempt) {
            completeParts(unanswered.get());
          } else {
            begin(); // The locks that a lost instance may not have received are taken again.
          }
        });
  }

  /** Executes the parts of a command that is decided, or that no instance can refuse by itself. */
  private void completeParts(Set<Integer> targets) {
    inFlight.addAll(targets);
    targets.forEach(instance -> completePart(instance, CommitPart.of(placedOperations, instance)));
  }

  private void completePart(int instance, CommitPart part) {
    applyPart(
        instance,
        part,
        result -> {
          CommitPart remainder =
              result instanceof InstanceResult.Refused refused
                  ? part.afterRefusal(refused.errors(), placedOperations)
                  : null;
          if (remainder != null) {
            completePart(instance, remainder);
            return;
          }
          recordPart(instance, part, result);
          if (inFlight.isEmpty()) {
            begin();
          }
        });
  }

  private void applyPart(int instance, CommitPart part, Consumer<InstanceResult> callback) {
    participants
        .apply(instance)
        .apply(
            number,
            command,
            part.operations(),
            plan.recordOperations(number, path -> placedOperations.isRecordedAt(instance, path)),
            plan.createSlot(number),
            callback);
  }

  private void recordPart(int instance, CommitPart part, InstanceResult result) {
    inFlight.remove(instance);
    if (result instanceof InstanceResult.Done done) {
      part.indicesByPosition()
          .forEach((position, index) -> recordOperation(instance, position, done, index));
      part.failures()
          .forEach(
              (position, error) -> {
                results.put(position, new OpResult.ErrorResult(error));
                log.warn(
                    "An operation of a decided command failed and was left out; queue {}, command"
                        + " {}, instance {}, path {}, error {}",
                    set,
                    number,
                    instance + 1,
                    plan.operations().get(position).getPath(),
                    error);
              });
    }
    resultRecorder.accept(instance, result);
  }

  private void recordOperation(int instance, int position, InstanceResult.Done done, int index) {
    if (placedOperations.decidingInstance(position) == instance) {
      results.put(position, done.results().get(index));
    }
  }
}
