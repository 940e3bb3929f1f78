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
  private final Set<String> numberedParents = new HashSet<>();
  private final Map<String, Integer> ownedInFlight = new HashMap<>();

  /** The paths whose owner is unknown until a removal in flight has ended. */
  private final Map<String, Integer> removedInFlight = new HashMap<>();

  /** How a command goes to the instances of {@code set}. */
  public QueueExecution.Way schedule(QueueCommand command, Flattening flattening, InstanceSet set) {
    if (CommandPlan.isInternal(command)) {
      numberedParents.clear(); // The larger set may remove and recreate parents.
      return QueueExecution.Way.ALONE;
    }
    if (command.type() == OpCode.setACL) {
      return QueueExecution.Way.COVERING;
    }
    List<Op> operations = CommandPlan.readOperations(command);
    boolean isAlone =
        !command.credentials().isEmpty()
            || operations.size() != 1
            || command.type() == QueueCommand.REAP
            || command.type() == QueueCommand.EXPIRE;
    boolean isCovering = false;
    for (Op operation : operations) {
      String path = operation.getPath();
      if (CommandPlan.isCreate(operation.getType())) {
        isAlone |= scheduleCreation(ZnodeCreation.of(operation));
      } else if (operation.getType() == OpCode.delete) {
        numberedParents.remove(path);
        isAlone |= ownedInFlight.containsKey(path) || removedInFlight.containsKey(path);
        removedInFlight.merge(path, 1, Integer::sum);
      }
      isCovering |= PlacedOperations.isCovering(operation, flattening, set);
    }
    if (operations.size() > 1) {
      operations.forEach(
          operation -> numberedParents.remove(ZnodePaths.parent(operation.getPath())));
    }
    return new QueueExecution.Way(isAlone || isCovering, isCovering);
  }

  private boolean scheduleCreation(ZnodeCreation creation) {
    CreateMode mode = creation.mode();
    String parent = ZnodePaths.parent(creation.path());
    // An instance has to be asked whether it supports a time to live.
    boolean isAlone =
        ownedInFlight.containsKey(parent) || removedInFlight.containsKey(parent) || mode.isTTL();
    if (mode.isSequential()) {
      // A refused command gives its number to the next one, which must not have been planned by
      // then.
      isAlone |= numberedParents.add(parent) | !creation.isForAnyone();
    } else {
      numberedParents.remove(parent);
      numberedParents.remove(creation.path());
    }
    if (isOwned(mode)) {
      ownedInFlight.merge(creation.path(), 1, Integer::sum);
    }
    return isAlone;
  }

  private static boolean isOwned(CreateMode mode) {
    return mode.isEphemeral() || mode.isContainer() || mode.isTTL();
  }

  /** A command has ended. */
  public void finishCommand(QueueCommand command) {
    if (CommandPlan.isInternal(command)) {
      return;
    }
    for (Op operation : CommandPlan.readOperations(command)) {
      if (operation.getType() == OpCode.delete) {
        subtractOne(removedInFlight, operation.getPath());
      } else if (CommandPlan.isCreate(operation.getType())
          && isOwned(ZnodeCreation.of(operation).mode())) {
        subtractOne(ownedInFlight, operation.getPath());
      }
    }
  }

  private static void subtractOne(Map<String, Integer> counts, String path) {
    counts.computeIfPresent(path, (key, count) -> count == 1 ? null : count - 1);
  }
}
