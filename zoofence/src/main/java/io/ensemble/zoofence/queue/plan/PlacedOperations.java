package io.ensemble.zoofence.queue.plan;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.reverseOrder;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.CreateWithStat;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * A plan's operations, each at the instances that it concerns. All holders of a znode's parent
 * create and remove the znode, so that each of them can list the parent's children. A holder of the
 * parent that does not hold the znode itself keeps a stub, without data and with a meaningless
 * version.
 */
public record PlacedOperations(List<Op> operations, Flattening flattening) {
  public PlacedOperations {
    operations = List.copyOf(operations);
  }

  /** Whether an operation concerns instances other than exactly the holders of its path. */
  static boolean isCovering(Op operation, Flattening flattening, InstanceSet set) {
    return !flattening.holders(probePath(operation)).equals(set);
  }

  /** A path that gives the holders of a sequential znode before the znode has its name. */
  private static String probePath(Op operation) {
    boolean isSequential =
        CommandPlan.isCreate(operation.getType())
            && ZnodeCreation.of(operation).mode().isSequential();
    return isSequential ? operation.getPath() + "0000000000" : operation.getPath();
  }

  /** The positions in the plan of the operations that an instance executes. */
  public List<Integer> positionsAt(int instance) {
    var positions = new ArrayList<Integer>();
    for (int position = 0; position < operations.size(); position++) {
      if (findTargets(operations.get(position)).contains(instance)) {
        positions.add(position);
      }
    }
    return positions;
  }

  /**
   * Whether all that an instance executes changes znodes whose state another instance, the source,
   * has as well. Then the state of the source shows the effect, and can replace that of the
   * instance. A stub has no state but its existence.
   */
  public boolean isVisibleAt(int source, int instance) {
    return positionsAt(instance).stream()
        .map(operations::get)
        .allMatch(
            operation -> {
              InstanceSet holders = flattening.holders(probePath(operation));
              return holders.contains(source)
                  || (!holders.contains(instance) && findTargets(operation).contains(source));
            });
  }

  private InstanceSet findTargets(Op operation) {
    return switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> flattening.holders(operation.getPath());
      default -> flattening.holdersOfParent(operation.getPath());
    };
  }

  /** Whether a single instance executes an operation. */
  boolean isLocal(Op operation) {
    return findTargets(operation).isSingle();
  }

  /**
   * Whether an instance may remove a znode by itself: with a session, as a container, or by age.
   */
  boolean isRemovable(String path) {
    return !path.equals("/") && flattening.holdersOfParent(path).isSingle();
  }

  /**
   * The instance that executes its part first, and whose result decides the command; empty if every
   * operation is executed by several instances. The other parts have been tested, but operations of
   * a single instance can still fail there. A creation below a znode that the instance may remove
   * is the hardest to complete, so its instance comes first.
   */
  public OptionalInt findDecider(InstanceSet set) {
    return set.numbers().stream()
        .filter(instance -> countLocal(instance) > 0)
        .max(comparingInt(this::countCreations).thenComparing(reverseOrder()))
        .map(OptionalInt::of)
        .orElse(OptionalInt.empty());
  }

  private int countLocal(int instance) {
    return (int)
        positionsAt(instance).stream()
            .filter(position -> isLocal(operations.get(position)))
            .count();
  }

  private int countCreations(int instance) {
    return (int)
        positionsAt(instance).stream()
            .map(operations::get)
            .filter(operation -> CommandPlan.isCreate(operation.getType()))
            .filter(operation -> isRemovable(ZnodePaths.parent(operation.getPath())))
            .count();
  }

  /** Whether an instance executes creations and removals of a path, and keeps their records. */
  public boolean isRecordedAt(int instance, String path) {
    return flattening.holdersOfParent(path).contains(instance);
  }

  /** The instance that decides the result of an operation. */
  public int decidingInstance(int position) {
    return flattening.holders(operations.get(position).getPath()).canonical();
  }

  /** An operation in the form in which an instance executes it. */
  public Op operation(int position, int instance) {
    Op operation = operations.get(position);
    if (flattening.holders(operation.getPath()).contains(instance)) {
      return operation;
    }
    if (operation.getType() == OpCode.delete) {
      return Op.delete(operation.getPath(), -1);
    }
    ZnodeCreation creation = ZnodeCreation.of(operation);
    return CreateWithStat.of(creation.path(), new byte[0], creation.acl(), CreateMode.PERSISTENT);
  }

  /** The locks that the command requires at an instance while it executes there. */
  public List<InstanceLocks.Lock> locks(String holder, int instance) {
    var locks = new ArrayList<InstanceLocks.Lock>();
    for (int position : positionsAt(instance)) {
      Op operation = operations.get(position);
      locks.add(new InstanceLocks.Lock(holder, true, operation.getPath()));
      if (operation.getType() == OpCode.delete || CommandPlan.isCreate(operation.getType())) {
        locks.add(new InstanceLocks.Lock(holder, false, ZnodePaths.parent(operation.getPath())));
      }
    }
    return locks;
  }

  /** The sets of at least two instances below {@code set} that have to pause their queues. */
  public Set<InstanceSet> queuesToPause(InstanceSet set) {
    var queues = new LinkedHashSet<InstanceSet>();
    for (Op operation : operations) {
      for (String path = operation.getPath(); ; path = ZnodePaths.parent(path)) {
        InstanceSet holders = flattening.holders(path);
        if (!holders.isSingle() && !holders.equals(set) && set.containsAll(holders)) {
          queues.add(holders);
        }
        if (path.equals("/")) {
          break;
        }
      }
    }
    return queues;
  }
}
