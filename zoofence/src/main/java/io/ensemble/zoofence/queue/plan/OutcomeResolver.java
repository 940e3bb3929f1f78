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
     * @param then receives ZooKeeper's code, and the stat if there is one
     */
    void ask(int instance, String path, BiConsumer<Integer, @Nullable Stat> then);
  }

  private final QueueCommand command;
  private final CommandPlan plan;
  private final PlacedOperations placedOperations;
  private final int canonical;
  private final long zxid;
  private final List<@Nullable OpResult> known = new ArrayList<>();
  private final ToLongFunction<String> owners;
  private final Question question;
  private final Consumer<Runnable> later;
  private final Consumer<CommandOutcome> then;

  /**
   * @param results the results of all instances of the set
   * @param composed the results of the client's operations, each from the instance that decides it,
   *     where a response arrived; empty if all instances did the same
   * @param later runs a task after a short delay, as long as the outcome is needed
   */
  public OutcomeResolver(
      QueueCommand command,
      CommandPlan plan,
      PlacedOperations placedOperations,
      InstanceSet set,
      Map<Integer, InstanceResult> results,
      List<? extends @Nullable OpResult> composed,
      ToLongFunction<String> owners,
      Question question,
      Consumer<Runnable> later,
      Consumer<CommandOutcome> then) {
    this.command = command;
    this.plan = plan;
    this.placedOperations = placedOperations;
    this.canonical = set.canonical();
    this.owners = owners;
    this.question = question;
    this.later = later;
    this.then = then;
    InstanceResult first = results.get(canonical);
    zxid =
        first instanceof InstanceResult.Done done
            ? done.zxid()
            : first instanceof InstanceResult.Remembered remembered ? remembered.zxid() : 0;
    if (!composed.isEmpty()) {
      known.addAll(composed);
    } else if (first instanceof InstanceResult.Done done) {
      known.addAll(done.results());
    }
    while (known.size() < plan.operations().size()) {
      known.add(null);
    }
  }

  /** Asks the instances themselves. */
  public static Question asking(IntFunction<QueueReplica> replicas, Executor thread) {
    return (instance, path, then) ->
        replicas
            .apply(instance)
            .client()
            .exists(
                path,
                false,
                (code, of, context, stat) -> thread.execute(() -> then.accept(code, stat)),
                null);
  }

  public void begin() {
    step(0);
  }

  private void step(int place) {
    if (place == plan.operations().size()) {
      then.accept(
          OutcomeBuilder.done(command, plan, placedOperations, canonical, zxid, owners, known));
      return;
    }
    if (known.get(place) != null) {
      step(place + 1);
      return;
    }
    Op operation = plan.operations().get(place);
    question.ask(
        placedOperations.deciding(place),
        operation.getPath(),
        (code, stat) -> {
          if (code == 0 || code == Code.NONODE.intValue()) {
            known.set(place, ReconstructedResult.result(operation, zxid, stat));
            step(place + 1);
          } else {
            later.accept(() -> step(place)); // No response arrived from the instance; ask again.
          }
        });
  }
}
