package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Decides which commands may be in flight in parallel, in the order in which they are in the queue.
 * If the plan of a command depends on the outcome of an earlier one, the command waits for that
 * outcome.
 */
public final class CommandScheduler {
  private final Set<String> numbered = new HashSet<>();
  private final Map<String, Integer> ownedOnTheirWay = new HashMap<>();

  /** How a command goes to the instances of {@code set}. */
  public QueueExecution.Way of(QueueCommand command, Flattening flattening, InstanceSet set) {
    if (CommandPlan.isOurs(command)) {
      numbered.clear(); // The larger set may remove and recreate parents.
      return QueueExecution.Way.ALONE;
    }
    if (command.type() == OpCode.setACL) {
      return QueueExecution.Way.COVERING;
    }
    List<Op> operations = CommandPlan.written(command);
    boolean alone =
        !command.credentials().isEmpty()
            || operations.size() != 1
            || command.type() == QueueCommand.REAP
            || command.type() == QueueCommand.EXPIRE;
    boolean covering = false;
    for (Op operation : operations) {
      String path = operation.getPath();
      if (CommandPlan.isCreate(operation.getType())) {
        alone |= create(ZnodeCreation.of(operation));
      } else if (operation.getType() == OpCode.delete) {
        numbered.remove(path);
        alone |= ownedOnTheirWay.containsKey(path);
      }
      covering |= PlacedOperations.isCovering(operation, flattening, set);
    }
    if (operations.size() > 1) {
      operations.forEach(operation -> numbered.remove(ZnodePaths.parent(operation.getPath())));
    }
    return new QueueExecution.Way(alone || covering, covering);
  }

  private boolean create(ZnodeCreation wanted) {
    CreateMode mode = wanted.mode();
    String parent = ZnodePaths.parent(wanted.path());
    // An instance has to be asked whether it supports a time to live.
    boolean alone = ownedOnTheirWay.containsKey(parent) || mode.isTTL();
    if (mode.isSequential()) {
      // A refused command gives its number to the next one, which must not have been planned by
      // then.
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
  public void ended(QueueCommand command) {
    if (CommandPlan.isOurs(command)) {
      return;
    }
    for (Op operation : CommandPlan.written(command)) {
      if (CommandPlan.isCreate(operation.getType())
          && isOwned(ZnodeCreation.of(operation).mode())) {
        ownedOnTheirWay.computeIfPresent(
            operation.getPath(), (path, count) -> count == 1 ? null : count - 1);
      }
    }
  }
}
