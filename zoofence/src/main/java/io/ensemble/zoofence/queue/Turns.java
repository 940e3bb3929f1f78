package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Which commands may be on their way beside others, decided as they stand in the queue. One whose
 * plan depends on how an earlier one ends waits for it.
 */
final class Turns {
  private final Set<String> numbered = new HashSet<>();
  private final Map<String, Integer> ownedOnTheirWay = new HashMap<>();

  /** How a command goes to the instances of {@code set}. */
  Execution.Way of(Command command, Flattening flattening, InstanceSet set) {
    if (Plan.isOurs(command)) {
      numbered.clear(); // The larger set may remove parents, and make them anew.
      return Execution.Way.ALONE;
    }
    if (command.type() == OpCode.setACL) {
      return Execution.Way.COVERING;
    }
    List<Op> operations = Plan.written(command);
    boolean alone =
        !command.credentials().isEmpty()
            || operations.size() != 1
            || command.type() == Command.REAP
            || command.type() == Command.EXPIRE;
    boolean covering = false;
    for (Op operation : operations) {
      String path = operation.getPath();
      if (Plan.isCreate(operation.getType())) {
        alone |= create(Creation.of(operation));
      } else if (operation.getType() == OpCode.delete) {
        numbered.remove(path);
        alone |= ownedOnTheirWay.containsKey(path);
      }
      covering |= Placed.isCovering(operation, flattening, set);
    }
    if (operations.size() > 1) {
      operations.forEach(operation -> numbered.remove(Paths.parent(operation.getPath())));
    }
    return new Execution.Way(alone || covering, covering);
  }

  private boolean create(Creation wanted) {
    CreateMode mode = wanted.mode();
    String parent = Paths.parent(wanted.path());
    // Whether there are times to live is asked of an instance.
    boolean alone = ownedOnTheirWay.containsKey(parent) || mode.isTTL();
    if (mode.isSequential()) {
      // The number of one that is refused is the next one's, which must not have had it by then.
      alone |= numbered.add(parent) | !wanted.isForAnyone();
    } else {
      numbered.remove(parent);
      numbered.remove(wanted.path());
    }
    if (isOwned(mode)) {
      ownedOnTheirWay.merge(wanted.path(), 1, Integer::sum);
    }
    return alone;
  }

  private static boolean isOwned(CreateMode mode) {
    return mode.isEphemeral() || mode.isContainer() || mode.isTTL();
  }

  /** A command has ended. */
  void ended(Command command) {
    if (Plan.isOurs(command)) {
      return;
    }
    for (Op operation : Plan.written(command)) {
      if (Plan.isCreate(operation.getType()) && isOwned(Creation.of(operation).mode())) {
        ownedOnTheirWay.computeIfPresent(
            operation.getPath(), (path, count) -> count == 1 ? null : count - 1);
      }
    }
  }
}
