package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
    return !flattening.holders(probe(operation)).equals(set);
  }

  /** A path that gives the holders of a sequential znode before the znode has its name. */
  private static String probe(Op operation) {
    boolean sequential =
        CommandPlan.isCreate(operation.getType())
            && ZnodeCreation.of(operation).mode().isSequential();
    return sequential ? operation.getPath() + "0000000000" : operation.getPath();
  }

  /** The positions in the plan of the operations that an instance executes. */
  public List<Integer> at(int instance) {
    var places = new ArrayList<Integer>();
    for (int place = 0; place < operations.size(); place++) {
      if (concerned(operations.get(place)).contains(instance)) {
        places.add(place);
      }
    }
    return places;
  }

  private InstanceSet concerned(Op operation) {
    return switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> flattening.holders(operation.getPath());
      default -> flattening.holdersOfParent(operation.getPath());
    };
  }

  /** The instance that decides the result of an operation. */
  public int deciding(int place) {
    return flattening.holders(operations.get(place).getPath()).canonical();
  }

  /** An operation in the form in which an instance executes it. */
  public Op operation(int place, int instance) {
    Op whole = operations.get(place);
    if (flattening.holders(whole.getPath()).contains(instance)) {
      return whole;
    }
    if (whole.getType() == OpCode.delete) {
      return Op.delete(whole.getPath(), -1);
    }
    ZnodeCreation wanted = ZnodeCreation.of(whole);
    return CreateWithStat.of(wanted.path(), new byte[0], wanted.acl(), CreateMode.PERSISTENT);
  }

  /** The locks that the command requires at an instance while it executes there. */
  public List<InstanceLocks.Lock> locks(String holder, int instance) {
    var locks = new ArrayList<InstanceLocks.Lock>();
    for (int place : at(instance)) {
      Op operation = operations.get(place);
      locks.add(new InstanceLocks.Lock(holder, true, operation.getPath()));
      if (operation.getType() == OpCode.delete || CommandPlan.isCreate(operation.getType())) {
        locks.add(new InstanceLocks.Lock(holder, false, ZnodePaths.parent(operation.getPath())));
      }
    }
    return locks;
  }

  /** The sets of at least two instances below {@code set} that have to pause their queues. */
  public Set<InstanceSet> queues(InstanceSet set) {
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
