package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * Reads from an instance the input of a plan: how many children the parents have had, and whether
 * the instance supports a time to live. The reader retries until there is a response.
 */
public final class PlanInputReader {
  private final SequentialNumbering numbering;
  private final Supplier<ZooKeeper> client;
  private final Executor thread;
  private final Consumer<Runnable> later;
  private boolean ttl;

  public PlanInputReader(
      SequentialNumbering numbering,
      Supplier<ZooKeeper> client,
      Executor thread,
      Consumer<Runnable> later) {
    this.numbering = numbering;
    this.client = client;
    this.thread = thread;
    this.later = later;
  }

  /** Whether the instances support a time to live, by the last response. */
  public boolean takesTtl() {
    return ttl;
  }

  /** Reads the input of a command, then runs {@code then}. */
  public void ask(QueueCommand command, Runnable then) {
    Runnable count = () -> ask(numbering.unknown(command), then);
    boolean asks =
        CommandPlan.written(command).stream()
            .anyMatch(
                one -> CommandPlan.isCreate(one.getType()) && ZnodeCreation.of(one).mode().isTTL());
    if (asks) {
      askForTtl(count);
    } else {
      count.run();
    }
  }

  /**
   * Tries a znode with a time to live, in a transaction that always fails at its last operation.
   */
  private void askForTtl(Runnable then) {
    Op probe =
        Op.create(
            ZooFencePaths.NEVER + "-lives",
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT_WITH_TTL,
            1);
    client
        .get()
        .multi(
            List.of(probe, Op.check(ZooFencePaths.NEVER, 0)),
            (code, path, context, results) ->
                thread.execute(
                    () -> {
                      if (results == null || results.isEmpty()) {
                        later.accept(() -> askForTtl(then));
                      } else {
                        int error = ((OpResult.ErrorResult) results.get(0)).getErr();
                        ttl = error != Code.UNIMPLEMENTED.intValue();
                        then.run();
                      }
                    }),
            null);
  }

  private void ask(List<String> parents, Runnable then) {
    if (parents.isEmpty()) {
      then.run();
      return;
    }
    String parent = parents.get(0);
    client
        .get()
        .exists(
            parent,
            false,
            (code, path, context, stat) ->
                thread.execute(
                    () -> {
                      if (code != 0 && code != Code.NONODE.intValue()) {
                        later.accept(() -> ask(parents, then));
                        return;
                      }
                      if (code == 0) {
                        numbering.learn(parent, stat);
                      }
                      ask(parents.subList(1, parents.size()), then);
                    }),
            null);
  }
}
