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
  private final SetACLRequest wanted;
  private final InstanceSet set;
  private final IntFunction<QueueReplica> replicas;
  private final Executor thread;
  private final Supplier<Set<Integer>> unanswered;
  private final BiConsumer<Integer, InstanceResult> answered;
  private final Set<Integer> ready = new HashSet<>();
  private @Nullable OpResult result;
  private int attempt;

  AclChange(
      long number,
      QueueCommand command,
      InstanceSet set,
      IntFunction<QueueReplica> replicas,
      Executor thread,
      Supplier<Set<Integer>> unanswered,
      BiConsumer<Integer, InstanceResult> answered) {
    this.number = number;
    this.command = command;
    this.wanted = Jute.read(command.body(), new SetACLRequest());
    this.set = set;
    this.replicas = replicas;
    this.thread = thread;
    this.unanswered = unanswered;
    this.answered = answered;
  }

  @Override
  public void ready(int instance) {
    ready.add(instance);
    if (ready.containsAll(unanswered.get())) {
      look(++attempt);
    }
  }

  @Override
  public void lost(int instance) {
    ready.remove(instance);
    attempt++;
  }

  @Override
  public void reached() {}

  @Override
  public void end(Runnable then) {
    then.run();
  }

  @Override
  public List<@Nullable OpResult> results() {
    return Collections.singletonList(result);
  }

  private void look(int mine) {
    var seen = new HashMap<Integer, Seen>();
    for (int instance : set.numbers()) {
      var stat = new Stat();
      replicas
          .apply(instance)
          .client(command.credentials())
          .getACL(
              wanted.getPath(),
              stat,
              (code, path, context, acl, found) ->
                  run(
                      mine,
                      () -> {
                        seen.put(instance, new Seen(code, found == null ? 0 : found.getAversion()));
                        if (seen.size() == set.size()) {
                          decide(mine, seen);
                        }
                      }),
              null);
    }
  }

  private void run(int mine, Runnable step) {
    thread.execute(
        () -> {
          if (mine == attempt) {
            step.run();
          }
        });
  }

  private void decide(int mine, Map<Integer, Seen> seen) {
    for (Seen one : seen.values()) {
      if (one.code() == Code.CONNECTIONLOSS.intValue()
          || one.code() == Code.SESSIONEXPIRED.intValue()) {
        replicas.apply(set.canonical()).again(() -> run(mine, () -> look(mine)));
        return;
      }
      if (one.code() != 0) {
        refuse(one.code());
        return;
      }
    }
    int newest = seen.values().stream().mapToInt(Seen::version).max().orElseThrow();
    int oldest = seen.values().stream().mapToInt(Seen::version).min().orElseThrow();
    boolean begun = newest > oldest || unanswered.get().size() < set.size();
    int from = begun ? newest - 1 : newest;
    // Before a loss, an earlier attempt may have reached all instances without recording a slot.
    boolean done = attempt > 1 && wanted.getVersion() >= 0 && newest == wanted.getVersion() + 1;
    if (!begun && !done && wanted.getVersion() >= 0 && wanted.getVersion() != newest) {
      refuse(Code.BADVERSION.intValue());
      return;
    }
    set(mine, seen, done ? newest - 1 : from, 0);
  }

  private void refuse(int error) {
    unanswered
        .get()
        .forEach(instance -> answered.accept(instance, new InstanceResult.Refused(List.of(error))));
  }

  /**
   * Changes one instance after another, the canonical one first: if it refuses, no instance has
   * changed.
   */
  private void set(int mine, Map<Integer, Seen> seen, int from, int place) {
    if (place == set.size()) {
      unanswered.get().forEach(this::remember);
      return;
    }
    int instance = set.numbers().get(place);
    Seen known = seen.get(instance);
    if (known == null || known.version() > from) {
      set(mine, seen, from, place + 1);
      return;
    }
    replicas
        .apply(instance)
        .client(command.credentials())
        .setACL(
            wanted.getPath(),
            wanted.getAcl(),
            from,
            (code, path, context, stat) ->
                run(
                    mine,
                    () -> {
                      if (code == 0) {
                        if (instance == set.canonical()) {
                          result = new OpResult.SetDataResult(stat);
                        }
                        set(mine, seen, from, place + 1);
                      } else if (code == Code.CONNECTIONLOSS.intValue()
                          || code == Code.BADVERSION.intValue()) {
                        replicas.apply(instance).again(() -> run(mine, () -> look(mine)));
                      } else {
                        refuse(code);
                      }
                    }),
            null);
  }

  private void remember(int instance) {
    replicas
        .apply(instance)
        .apply(
            number,
            command,
            List.of(),
            List.of(),
            new DedupSlot(number, List.of(), List.of()),
            took -> answered.accept(instance, took));
  }
}
