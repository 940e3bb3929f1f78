package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.AclIntent;
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
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.SetACLRequest;
import org.jspecify.annotations.Nullable;

/**
 * A change of an access list. ZooKeeper's transactions cannot contain it, so its effect and its
 * slot are two steps at each instance. Only such changes raise the version of an access list.
 * Between two of them the version is therefore the same at all instances.
 *
 * <p>Before the first step the canonical instance records the command and that version, the
 * <em>base</em>. Every later attempt, also of another leader, then finds out at each instance
 * whether the change took effect there: the version exceeds the base, or the change itself keeps
 * the client from reading it.
 */
final class AclChange implements Procedure {
  private record Seen(int code, int version) {
    boolean isLost() {
      return code == Code.CONNECTIONLOSS.intValue() || code == Code.SESSIONEXPIRED.intValue();
    }
  }

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
  private @Nullable AclIntent intent;
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
    begin();
  }

  private void begin() {
    Set<Integer> targets = unanswered.get();
    if (!targets.isEmpty() && readyInstances.containsAll(targets)) {
      readIntent(++attempt);
    }
  }

  @Override
  public void handleLost(int instance) {
    readyInstances.remove(instance);
    attempt++;
  }

  @Override
  public void handleReached() {
    begin(); // The slots of the instance may have replaced a lost response.
  }

  @Override
  public void end(Runnable callback) {
    callback.run();
  }

  @Override
  public List<@Nullable OpResult> results() {
    return Collections.singletonList(result);
  }

  private void readIntent(int startedAttempt) {
    QueueReplica canonical = replicas.apply(set.canonical());
    canonical
        .client()
        .getData(
            canonical.aclIntentPath(),
            false,
            (code, path, context, data, stat) ->
                run(
                    startedAttempt,
                    () -> {
                      if (code == 0) {
                        AclIntent found = AclIntent.read(data);
                        intent = found != null && found.number() == number ? found : null;
                        readVersions(startedAttempt);
                      } else {
                        retryLater(startedAttempt);
                      }
                    }),
            null);
  }

  private void retryLater(int startedAttempt) {
    replicas
        .apply(set.canonical())
        .runLater(() -> run(startedAttempt, () -> readIntent(startedAttempt)));
  }

  private void readVersions(int startedAttempt) {
    var states = new HashMap<Integer, Seen>();
    for (int instance : set.numbers()) {
      readVersion(
          replicas.apply(instance).client(command.credentials()),
          seen ->
              run(
                  startedAttempt,
                  () -> {
                    states.put(instance, seen);
                    if (states.size() == set.size()) {
                      decide(startedAttempt, states);
                    }
                  }));
    }
  }

  /**
   * Reads the version after a sync: the client may be connected to a server that does not have the
   * changes of former leaders yet.
   */
  private void readVersion(ZooKeeper client, Consumer<Seen> callback) {
    client.sync(
        request.getPath(),
        (syncCode, synced, context) -> {
          if (syncCode != 0) {
            callback.accept(new Seen(Code.CONNECTIONLOSS.intValue(), 0));
            return;
          }
          client.getACL(
              request.getPath(),
              new Stat(),
              (code, path, ignored, acl, stat) ->
                  callback.accept(new Seen(code, stat == null ? 0 : stat.getAversion())),
              null);
        },
        null);
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
    if (states.values().stream().anyMatch(Seen::isLost)) {
      retryLater(startedAttempt);
      return;
    }
    AclIntent begun = intent;
    for (Seen state : states.values()) {
      boolean isHidden = begun != null && state.code() == Code.NOAUTH.intValue();
      if (state.code() != 0 && !isHidden) {
        refuseAll(state.code());
        return;
      }
    }
    if (begun != null) {
      changeInstance(startedAttempt, states, begun.base(), 0);
      return;
    }
    int newest = states.values().stream().mapToInt(Seen::version).max().orElseThrow();
    int oldest = states.values().stream().mapToInt(Seen::version).min().orElseThrow();
    // A leader that records no intent may have begun the change.
    boolean isBegun = newest > oldest || unanswered.get().size() < set.size();
    if (!isBegun && request.getVersion() >= 0 && request.getVersion() != newest) {
      refuseAll(Code.BADVERSION.intValue());
      return;
    }
    recordIntent(startedAttempt, states, new AclIntent(number, isBegun ? newest - 1 : newest));
  }

  private void recordIntent(int startedAttempt, Map<Integer, Seen> states, AclIntent newIntent) {
    QueueReplica canonical = replicas.apply(set.canonical());
    canonical.transact(
        command,
        List.of(Op.setData(canonical.aclIntentPath(), newIntent.bytes(), -1)),
        results ->
            run(
                startedAttempt,
                () -> {
                  intent = newIntent;
                  changeInstance(startedAttempt, states, newIntent.base(), 0);
                }));
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
    if (state == null || state.code() != 0 || state.version() > baseVersion) {
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
                      } else if (new Seen(code, 0).isLost() || code == Code.BADVERSION.intValue()) {
                        retryLater(startedAttempt);
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
