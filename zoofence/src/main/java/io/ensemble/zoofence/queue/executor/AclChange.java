package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import io.ensemble.zoofence.wire.Jute;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.SetACLRequest;
import org.jspecify.annotations.Nullable;

/**
 * A change of an access list. ZooKeeper's transactions cannot contain it, so its effect and its
 * slot are two steps at each instance. Only such changes raise the version of an access list.
 * Between two of them the version is therefore the same at all instances. A difference shows how
 * far an earlier attempt came.
 */
final class AclChange implements Procedure {
  private record Seen(int code, int version) {}

  private final long number;
  private final QueueCommand command;
  private final SetACLRequest request;
  private final InstanceSet set;
  private final IntFunction<QueueReplica> replicas;
  private final Executor executor;
  private final Supplier<Set<Integer>> unanswered;
  private final BiConsumer<Integer, InstanceResult> resultRecorder;
  private final Set<Integer> readyInstances = new HashSet<>();
  private @Nullable OpResult result;
  private int attempt;

  AclChange(
      long number,
      QueueCommand command,
      InstanceSet set,
      IntFunction<QueueReplica> replicas,
      Executor executor,
      Supplier<Set<Integer>> unanswered,
      BiConsumer<Integer, InstanceResult> resultRecorder) {
    this.number = number;
    this.command = command;
    this.request = Jute.read(command.body(), new SetACLRequest());
    this.set = set;
    this.replicas = replicas;
    this.executor = executor;
    this.unanswered = unanswered;
    this.resultRecorder = resultRecorder;
  }

  @Override
  public void handleReady(int instance) {
    readyInstances.add(instance);
    if (readyInstances.containsAll(unanswered.get())) {
      readVersions(++attempt);
    }
  }

  @Override
  public void handleLost(int instance) {
    readyInstances.remove(instance);
    attempt++;
  }

  @Override
  public void handleReached() {}

  @Override
  public void end(Runnable callback) {
    callback.run();
  }

  @Override
  public List<@Nullable OpResult> results() {
    return Collections.singletonList(result);
  }

  private void readVersions(int startedAttempt) {
    var states = new HashMap<Integer, Seen>();
    for (int instance : set.numbers()) {
      var stat = new Stat();
      replicas
          .apply(instance)
          .client(command.credentials())
          .getACL(
              request.getPath(),
              stat,
              (code, path, context, acl, foundStat) ->
                  run(
                      startedAttempt,
                      () -> {
                        states.put(
                            instance,
                            new Seen(code, foundStat == null ? 0 : foundStat.getAversion()));
                        if (states.size() == set.size()) {
                          decide(startedAttempt, states);
                        }
                      }),
              null);
    }
  }

  private void run(int startedAttempt, Runnable task) {
    executor.execute(
        () -> {
          if (startedAttempt == attempt) {
            task.run();
          }
        });
  }

  private void decide(int startedAttempt, Map<Integer, Seen> states) {
    for (Seen state : states.values()) {
      if (state.code() == Code.CONNECTIONLOSS.intValue()
          || state.code() == Code.SESSIONEXPIRED.intValue()) {
        replicas
            .apply(set.canonical())
            .runLater(() -> run(startedAttempt, () -> readVersions(startedAttempt)));
        return;
      }
      if (state.code() != 0) {
        refuseAll(state.code());
        return;
      }
    }
    int newest = states.values().stream().mapToInt(Seen::version).max().orElseThrow();
    int oldest = states.values().stream().mapToInt(Seen::version).min().orElseThrow();
    boolean isBegun = newest > oldest || unanswered.get().size() < set.size();
    int baseVersion = isBegun ? newest - 1 : newest;
    // Before a loss, an earlier attempt may have reached all instances without recording a slot.
    boolean isApplied =
        attempt > 1 && request.getVersion() >= 0 && newest == request.getVersion() + 1;
    if (!isBegun && !isApplied && request.getVersion() >= 0 && request.getVersion() != newest) {
      refuseAll(Code.BADVERSION.intValue());
      return;
    }
    changeInstance(startedAttempt, states, isApplied ? newest - 1 : baseVersion, 0);
  }

  private void refuseAll(int error) {
    unanswered
        .get()
        .forEach(
            instance ->
                resultRecorder.accept(instance, new InstanceResult.Refused(List.of(error))));
  }

  /**
   * Changes one instance after another, the canonical one first: if it refuses, no instance has
   * changed.
   */
  private void changeInstance(
      int startedAttempt, Map<Integer, Seen> states, int baseVersion, int index) {
    if (index == set.size()) {
      unanswered.get().forEach(this::recordSlot);
      return;
    }
    int instance = set.numbers().get(index);
    Seen state = states.get(instance);
    if (state == null || state.version() > baseVersion) {
      changeInstance(startedAttempt, states, baseVersion, index + 1);
      return;
    }
    replicas
        .apply(instance)
        .client(command.credentials())
        .setACL(
            request.getPath(),
            request.getAcl(),
            baseVersion,
            (code, path, context, stat) ->
                run(
                    startedAttempt,
                    () -> {
                      if (code == 0) {
                        if (instance == set.canonical()) {
                          result = new OpResult.SetDataResult(stat);
                        }
                        changeInstance(startedAttempt, states, baseVersion, index + 1);
                      } else if (code == Code.CONNECTIONLOSS.intValue()
                          || code == Code.BADVERSION.intValue()) {
                        replicas
                            .apply(instance)
                            .runLater(
                                () -> run(startedAttempt, () -> readVersions(startedAttempt)));
                      } else {
                        refuseAll(code);
                      }
                    }),
            null);
  }

  private void recordSlot(int instance) {
    replicas
        .apply(instance)
        .apply(
            number,
            command,
            List.of(),
            List.of(),
            new DedupSlot(number, List.of(), List.of()),
            result -> resultRecorder.accept(instance, result));
  }
}
