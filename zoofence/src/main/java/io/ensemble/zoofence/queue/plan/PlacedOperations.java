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
 * A plan's operations, each at the instances that it concerns. A znode is created and removed at
 * all that hold its parent, so that each of them can tell the parent's children; whoever does not
 * hold the znode itself keeps a stub, without data and of no version that counts.
 */
public record PlacedOperations(List<Op> operations, Flattening flattening) {
  public PlacedOperations {
    operations = List.copyOf(operations);
  }

  /** Whether a client's operation concerns others than exactly the holders of its path. */
  static boolean isCovering(Op operation, Flattening flattening, InstanceSet set) {
    return !flattening.holders(probe(operation)).equals(set);
  }

  /** A path to look at before a sequential znode has its name. */
  private static String probe(Op operation) {
    boolean sequential =
        CommandPlan.isCreate(operation.getType())
            && ZnodeCreation.of(operation).mode().isSequential();
    return sequential ? operation.getPath() + "0000000000" : operation.getPath();
  }

  /** The places in the plan of the operations that an instance carries out. */
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

  /** The instance whose answer to an operation counts. */
  public int deciding(int place) {
    return flattening.holders(operations.get(place).getPath()).canonical();
  }

  /** An operation as an instance carries it out. */
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

  /** What has to stand still at an instance while the command is carried out there. */
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

  /** The sets below {@code set}, of several instances each, whose queues have to stand still. */
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
