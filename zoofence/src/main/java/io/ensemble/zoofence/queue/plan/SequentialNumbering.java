package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of sequential znodes below parents that several instances hold. The leader alone
 * assigns them, with the result that every instance would have by itself if it were alone. The
 * leader counts as long as only sequential znodes are created below a parent, and asks an instance
 * otherwise.
 */
public final class SequentialNumbering {
  private static final int DIGITS = 10;

  /** The maximum number of commands in flight. */
  private static final int MOST_REFUSED = QueueReplica.SLOTS;

  private final Map<String, Integer> next = new HashMap<>();
  private final Map<String, TreeSet<Integer>> refused = new HashMap<>();

  /** The parents for which the next number has to be read before a command is planned. */
  List<String> unknown(QueueCommand command) {
    List<Op> written = CommandPlan.written(command);
    var parents = new ArrayList<String>();
    for (Op operation : written) {
      if (operation.getType() == OpCode.delete) {
        forget(operation.getPath());
      } else if (CommandPlan.isCreate(operation.getType())) {
        String parent = ZnodePaths.parent(operation.getPath());
        if (isSequential(operation)) {
          parents.add(parent);
        } else {
          forget(operation.getPath());
        }
        if (!isSequential(operation) || written.size() > 1) {
          forget(parent);
        }
      }
    }
    return parents.stream().distinct().filter(parent -> !next.containsKey(parent)).toList();
  }

  private static boolean isSequential(Op create) {
    return ZnodeCreation.of(create).mode().isSequential();
  }

  /**
   * Records how many children a parent has had. A client sees twice the number of created children,
   * less the existing ones, because ZooKeeper hides the actual counter.
   */
  public void learn(String parent, Stat stat) {
    next.merge(parent, (stat.getCversion() + stat.getNumChildren()) / 2, Math::max);
  }

  /**
   * Records the names that an earlier leader assigned, which may not have reached all instances.
   */
  public void learn(QueueCommand command, @Nullable DedupSlot slot) {
    if (slot == null) {
      return;
    }
    int place = 0;
    for (Op operation : CommandPlan.written(command)) {
      if (CommandPlan.isCreate(operation.getType()) && place < slot.created().size()) {
        String name = slot.created().get(place++);
        if (isSequential(operation)) {
          next.merge(ZnodePaths.parent(name), number(name) + 1, Math::max);
        }
      }
    }
  }

  /** The next number below a parent; the first number if the parent does not exist. */
  public int next(String parent) {
    int number = next.getOrDefault(parent, 0);
    next.put(parent, number + 1);
    return number;
  }

  /**
   * Returns the numbers of a command without an effect. The next command gets them again, unless
   * later commands have got later numbers meanwhile. In that case they become free if the later
   * commands have no effect either.
   */
  public void refused(QueueCommand command, CommandPlan plan) {
    if (plan.operations().isEmpty()) {
      return; // Never planned, so no number was assigned.
    }
    List<Op> written = CommandPlan.written(command);
    for (int place = plan.operations().size() - 1; place >= 0; place--) {
      if (CommandPlan.isCreate(written.get(place).getType()) && isSequential(written.get(place))) {
        String name = plan.operations().get(place).getPath();
        giveBack(ZnodePaths.parent(name), number(name));
      }
    }
  }

  private void giveBack(String parent, int number) {
    Integer following = next.get(parent);
    if (following == null || number >= following) {
      return; // The count was reset meanwhile.
    }
    TreeSet<Integer> given = refused.computeIfAbsent(parent, one -> new TreeSet<>());
    given.add(number);
    while (given.remove(following - 1)) {
      following--;
    }
    next.put(parent, following);
    while (given.size() > MOST_REFUSED) {
      given.pollFirst();
    }
    if (given.isEmpty()) {
      refused.remove(parent);
    }
  }

  private static int number(String name) {
    return Integer.parseInt(name.substring(name.length() - DIGITS));
  }

  /** Clears all counts, since other queues have changed znodes of this queue's instances. */
  public void forget() {
    next.clear();
    refused.clear();
  }

  private void forget(String parent) {
    next.remove(parent);
    refused.remove(parent);
  }

  /** Clears the counts made while planning a command that also creates other znodes. */
  public void planned(QueueCommand command) {
    List<Op> written = CommandPlan.written(command);
    if (written.size() > 1) {
      written.forEach(operation -> forget(ZnodePaths.parent(operation.getPath())));
    }
  }
}
