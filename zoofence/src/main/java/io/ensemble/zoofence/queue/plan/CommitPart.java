package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a command that one instance executes, while other instances execute others.
 *
 * <p>All parts were tested under the locks of the command. When one instance has executed its part,
 * the command is decided, and every other part has to be completed. A part can still fail then: an
 * instance removes the ephemeral znodes of a session that expires, empty containers, and znodes
 * whose time to live is over, and it does so despite the locks. Such a removal comes after the
 * command, because the locked znodes existed until then. So {@link #afterRefusal} leaves out what
 * the removal has made void. The operations on paths that several instances hold always remain, and
 * all holders stay equal.
 *
 * @param positions for each operation its position in the plan; {@link #ADDED} if the plan does not
 *     have the operation
 * @param failures the errors of operations that this part could not execute, by their positions
 */
public record CommitPart(
    List<Integer> positions, List<Op> operations, Map<Integer, Integer> failures) {
  /** The position of an operation that creates a removed container again. */
  public static final int ADDED = -1;

  public CommitPart {
    positions = List.copyOf(positions);
    operations = List.copyOf(operations);
    failures = Map.copyOf(failures);
  }

  /** The part of an instance as it is planned. */
  public static CommitPart of(PlacedOperations placedOperations, int instance) {
    List<Integer> positions = placedOperations.positionsAt(instance);
    return new CommitPart(
        positions,
        positions.stream().map(position -> placedOperations.operation(position, instance)).toList(),
        Map.of());
  }

  /**
   * What remains of the part of a decided command after the instance has refused it. At most as
   * many refusals follow as the part has operations and their paths have ancestors.
   *
   * @param errors the error of each operation
   * @return null if an operation failed that other instances execute as well: the holders differ
   */
  public @Nullable CommitPart afterRefusal(
      List<Integer> errors, PlacedOperations placedOperations) {
    int failed = findFailure(errors);
    if (failed < 0) {
      return null;
    }
    Op operation = operations.get(failed);
    int error = errors.get(failed);
    String path = operation.getPath();
    boolean isAdded = positions.get(failed) == ADDED;
    if (!isAdded && !placedOperations.isLocal(operation)) {
      return null;
    }
    boolean isGone = error == Code.NONODE.intValue();
    if (!CommandPlan.isCreate(operation.getType())) {
      return without(List.of(failed), isGone ? 0 : error);
    }
    String parent = ZnodePaths.parent(path);
    if (isGone && placedOperations.isRemovable(parent)) {
      return withContainer(failed, parent);
    }
    if (!isAdded || error == Code.NODEEXISTS.intValue()) {
      return without(List.of(failed), error);
    }
    var below = new ArrayList<Integer>();
    for (int index = 0; index < operations.size(); index++) {
      if (CommandPlan.isCreate(operations.get(index).getType())
          && ZnodePaths.under(operations.get(index).getPath(), path)) {
        below.add(index);
      }
    }
    return without(below, error);
  }

  private static int findFailure(List<Integer> errors) {
    for (int index = 0; index < errors.size(); index++) {
      int error = errors.get(index);
      if (error != 0 && error != Code.RUNTIMEINCONSISTENCY.intValue()) {
        return index;
      }
    }
    return -1;
  }

  /** Leaves out operations; an error of 0 means that they have become void. */
  private CommitPart without(List<Integer> indices, int error) {
    var keptPositions = new ArrayList<Integer>();
    var keptOperations = new ArrayList<Op>();
    var allFailures = new TreeMap<>(failures);
    for (int index = 0; index < operations.size(); index++) {
      if (!indices.contains(index)) {
        keptPositions.add(positions.get(index));
        keptOperations.add(operations.get(index));
      } else if (error != 0 && positions.get(index) != ADDED) {
        allFailures.put(positions.get(index), error);
      }
    }
    return new CommitPart(keptPositions, keptOperations, allFailures);
  }

  /**
   * Creates a container again that the instance has removed. The znode may have had a time to live
   * instead, which ZooKeeper does not report; a container is removed when it is empty, too.
   */
  private CommitPart withContainer(int index, String path) {
    Op creation = operations.get(index);
    var allPositions = new ArrayList<>(positions);
    var allOperations = new ArrayList<>(operations);
    allPositions.add(index, ADDED);
    allOperations.add(
        index,
        Op.create(path, new byte[0], ZnodeCreation.of(creation).acl(), CreateMode.CONTAINER));
    return new CommitPart(allPositions, allOperations, failures);
  }

  /** The positions of the plan's operations, for an instance's results. */
  public Map<Integer, Integer> indicesByPosition() {
    var indices = new TreeMap<Integer, Integer>();
    for (int index = 0; index < positions.size(); index++) {
      if (positions.get(index) != ADDED) {
        indices.put(positions.get(index), index);
      }
    }
    return Collections.unmodifiableMap(indices);
  }
}
