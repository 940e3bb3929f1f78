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

  private final Map<String, Integer> nextByParent = new HashMap<>();
  private final Map<String, TreeSet<Integer>> refusedByParent = new HashMap<>();

  /** The parents for which the next number has to be read before a command is planned. */
  List<String> findUnknownParents(QueueCommand command) {
    List<Op> operations = CommandPlan.readOperations(command);
    var parents = new ArrayList<String>();
    for (Op operation : operations) {
      if (operation.getType() == OpCode.delete) {
        clearParent(operation.getPath());
      } else if (CommandPlan.isCreate(operation.getType())) {
        String parent = ZnodePaths.parent(operation.getPath());
        if (isSequential(operation)) {
          parents.add(parent);
        } else {
          clearParent(operation.getPath());
        }
        if (!isSequential(operation) || operations.size() > 1) {
          clearParent(parent);
        }
      }
    }
    return parents.stream().distinct().filter(parent -> !nextByParent.containsKey(parent)).toList();
  }

  private static boolean isSequential(Op create) {
    return ZnodeCreation.of(create).mode().isSequential();
  }

  /**
   * Records how many children a parent has had. A client sees twice the number of created children,
   * less the existing ones, because ZooKeeper hides the actual counter.
   */
  public void recordNumbers(String parent, Stat stat) {
    nextByParent.merge(parent, (stat.getCversion() + stat.getNumChildren()) / 2, Math::max);
  }

  /**
   * Records the names that an earlier leader assigned, which may not have reached all instances.
   */
  public void recordNumbers(QueueCommand command, @Nullable DedupSlot slot) {
    if (slot == null) {
      return;
    }
    int index = 0;
    for (Op operation : CommandPlan.readOperations(command)) {
      if (CommandPlan.isCreate(operation.getType()) && index < slot.created().size()) {
        String name = slot.created().get(index++);
        if (isSequential(operation)) {
          nextByParent.merge(ZnodePaths.parent(name), parseNumber(name) + 1, Math::max);
        }
      }
    }
  }

  /** The next number below a parent; the first number if the parent does not exist. */
  public int takeNext(String parent) {
    int number = nextByParent.getOrDefault(parent, 0);
    nextByParent.put(parent, number + 1);
    return number;
  }

  /**
   * Returns the numbers of a command without an effect. The next command gets them again, unless
   * later commands have got later numbers meanwhile. In that case they become free if the later
   * commands have no effect either.
   */
  public void returnNumbers(QueueCommand command, CommandPlan plan) {
    if (plan.operations().isEmpty()) {
      return; // Never planned, so no number was assigned.
    }
    List<Op> operations = CommandPlan.readOperations(command);
    for (int index = plan.operations().size() - 1; index >= 0; index--) {
      if (CommandPlan.isCreate(operations.get(index).getType())
          && isSequential(operations.get(index))) {
        String name = plan.operations().get(index).getPath();
        returnNumber(ZnodePaths.parent(name), parseNumber(name));
      }
    }
  }

  private void returnNumber(String parent, int number) {
    Integer nextNumber = nextByParent.get(parent);
    if (nextNumber == null || number >= nextNumber) {
      return; // The count was reset meanwhile.
    }
    TreeSet<Integer> returned = refusedByParent.computeIfAbsent(parent, key -> new TreeSet<>());
    returned.add(number);
    while (returned.remove(nextNumber - 1)) {
      nextNumber--;
    }
    nextByParent.put(parent, nextNumber);
    while (returned.size() > MOST_REFUSED) {
      returned.pollFirst();
    }
    if (returned.isEmpty()) {
      refusedByParent.remove(parent);
    }
  }

  private static int parseNumber(String name) {
    return Integer.parseInt(name.substring(name.length() - DIGITS));
  }

  /** Clears all counts, since other queues have changed znodes of this queue's instances. */
  public void clearAll() {
    nextByParent.clear();
    refusedByParent.clear();
  }

  void clearParent(String parent) {
    nextByParent.remove(parent);
    refusedByParent.remove(parent);
  }

  /** Clears the counts made while planning a command that also creates other znodes. */
  public void clearAfterPlanning(QueueCommand command) {
    List<Op> operations = CommandPlan.readOperations(command);
    if (operations.size() > 1) {
      operations.forEach(operation -> clearParent(ZnodePaths.parent(operation.getPath())));
    }
  }
}
