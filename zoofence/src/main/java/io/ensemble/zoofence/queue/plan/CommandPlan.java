package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.CreateWithStat;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

/**
 * A command as the operations of one transaction, the same at every instance.
 *
 * @param operations the client's own operations, in their order; ephemeral and sequential znodes
 *     have their final names
 * @param owned the created paths that are not permanent, with their owners
 * @param freed the removed paths that had an owner
 * @param isBegun whether some instance has executed the command; then all instances execute it
 * @param unnumbered the sequential creations whose number the client may not know, by position
 */
public record CommandPlan(
    List<Op> operations,
    Map<String, Long> owned,
    List<String> freed,
    boolean isBegun,
    Set<Integer> unnumbered) {
  /** The state of the znodes that a plan requires when the command's turn comes. */
  public interface Tree {
    /** The number of the next sequential child of a parent. */
    int nextNumber(String parent);

    /** The owner of a path; null if the path has no owner. */
    @Nullable ZnodeOwner owner(String path);

    /** Whether several instances hold a path. */
    boolean isShared(String path);

    /**
     * Whether the number of the next sequential child of a parent is known; false if the client may
     * not read the parent.
     */
    boolean isNumberReadable(String parent);

    /** Whether the instances are configured to support a time to live. */
    boolean isTtlSupported();
  }

  public static final CommandPlan NOTHING =
      new CommandPlan(List.of(), Map.of(), List.of(), false, Set.of());

  public CommandPlan {
    operations = List.copyOf(operations);
    owned = Map.copyOf(owned);
    freed = List.copyOf(freed);
    unnumbered = Set.copyOf(unnumbered);
  }

  /** Whether such a command can be planned at all. */
  public static boolean isPlannable(QueueCommand command) {
    return switch (command.type()) {
      case OpCode.create,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL,
          OpCode.delete,
          OpCode.setData,
          OpCode.setACL,
          OpCode.multi,
          QueueCommand.REAP,
          QueueCommand.EXPIRE,
          QueueCommand.LOCK,
          QueueCommand.MOVE ->
          true;
      default -> false;
    };
  }

  /** Whether a command is ZooFence's own, about the queue or the flattening, and not a client's. */
  static boolean isInternal(QueueCommand command) {
    return command.type() == QueueCommand.LOCK || command.type() == QueueCommand.MOVE;
  }

  /**
   * What no other command may concern in the transaction of this one, so that zxids differ: the
   * znode of its operation and, for an ephemeral or sequential creation, the children of the
   * parent. Clients rank such siblings by their {@code czxid}.
   *
   * @param operations the planned operation
   */
  public static Set<String> exclusive(QueueCommand command, List<Op> operations) {
    String path = operations.get(0).getPath();
    Op written = readOperations(command).get(0);
    if (isCreate(written.getType())) {
      CreateMode mode = ZnodeCreation.of(written).mode();
      if (mode.isEphemeral() || mode.isSequential()) {
        return Set.of(path, ZnodePaths.parent(path) + "/"); // No path of a znode ends like this.
      }
    }
    return Set.of(path);
  }

  /** The operations as the client wrote them, with ephemeral and sequential flags. */
  public static List<Op> readOperations(QueueCommand command) {
    ByteBuffer body = command.body();
    return switch (command.type()) {
      case OpCode.create, OpCode.create2, OpCode.createContainer -> {
        var request = Jute.read(body, new CreateRequest());
        yield List.of(
            Op.create(request.getPath(), request.getData(), request.getAcl(), request.getFlags()));
      }
      case OpCode.createTTL -> {
        var request = Jute.read(body, new CreateTTLRequest());
        yield List.of(
            Op.create(
                request.getPath(),
                request.getData(),
                request.getAcl(),
                request.getFlags(),
                request.getTtl()));
      }
      case OpCode.delete, QueueCommand.REAP, QueueCommand.EXPIRE -> {
        var request = Jute.read(body, new DeleteRequest());
        yield List.of(Op.delete(request.getPath(), request.getVersion()));
      }
      case OpCode.setData -> {
        var request = Jute.read(body, new SetDataRequest());
        yield List.of(Op.setData(request.getPath(), request.getData(), request.getVersion()));
      }
      // A placeholder: only the path of the operation counts.
      case OpCode.setACL ->
          List.of(Op.setData(Jute.read(body, new SetACLRequest()).getPath(), new byte[0], -1));
      case OpCode.multi -> {
        var operations = new ArrayList<Op>();
        Jute.read(body, new MultiOperationRecord()).forEach(operations::add);
        yield operations;
      }
      default -> throw new IllegalArgumentException("no plan for type " + command.type());
    };
  }

  /**
   * Plans a command.
   *
   * @param slot the slot that an instance has recorded for the command; null if no instance has
   */
  public static CommandPlan of(QueueCommand command, Tree tree, @Nullable DedupSlot slot) {
    var operations = new ArrayList<Op>();
    var owned = new HashMap<String, Long>();
    var freed = new ArrayList<String>();
    var unnumbered = new HashSet<Integer>();
    int created = 0;
    for (Op operation : readOperations(command)) {
      String path = operation.getPath();
      if (!isCreate(operation.getType())) {
        operations.add(operation);
        if (operation.getType() == OpCode.delete
            && owned.remove(path) == null
            && tree.owner(path) != null) {
          freed.add(path);
        }
        continue;
      }
      ZnodeCreation creation = ZnodeCreation.of(operation);
      if (creation.mode().isSequential()) {
        String parent = ZnodePaths.parent(path);
        if (slot != null && created < slot.created().size()) {
          path = slot.created().get(created);
        } else {
          if (!tree.isNumberReadable(parent)) {
            unnumbered.add(operations.size());
          }
          path = ZnodePaths.numbered(path, tree.nextNumber(parent));
        }
      }
      created++;
      long owner = creation.owner(command.session());
      if (owner != 0
          && !StatTranslator.isSession(owner)
          && !tree.isShared(ZnodePaths.parent(path))) {
        // A single instance holds the znode and expires it by itself.
        operations.add(creation.toOperation(path));
        continue;
      }
      if (owner != 0) {
        owned.put(path, owner);
      }
      operations.add(
          CreateWithStat.of(path, creation.data(), creation.acl(), CreateMode.PERSISTENT));
    }
    return new CommandPlan(
        operations, owned, slot == null ? freed : slot.freed(), slot != null, unnumbered);
  }

  /**
   * The plan of a command that took effect under another leader, from the slots of the instances.
   */
  public static CommandPlan restorePlan(
      QueueCommand command, Tree tree, Collection<InstanceResult> results) {
    for (InstanceResult result : results) {
      if (result instanceof InstanceResult.Remembered recordedResult) {
        return of(command, tree, recordedResult.slot());
      }
    }
    throw new AssertionError("a command took effect that was neither planned nor recorded");
  }

  static boolean isCreate(int type) {
    return switch (type) {
      case OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL -> true;
      default -> false;
    };
  }

  static CreateMode mode(int flags) {
    try {
      return CreateMode.fromFlag(flags);
    } catch (KeeperException e) {
      throw new IllegalArgumentException("invalid znode mode: " + flags, e);
    }
  }

  /** The first operation that fails at every instance; null if only the instances can decide. */
  public @Nullable LocalRefusal refusal(QueueCommand command, Tree tree) {
    if (isBegun) {
      return null;
    }
    var ephemeral = new HashSet<String>();
    List<Op> requested = readOperations(command);
    for (int index = 0; index < operations.size(); index++) {
      String path = operations.get(index).getPath();
      if (isCreate(operations.get(index).getType())) {
        ZnodeCreation creation = ZnodeCreation.of(requested.get(index));
        String parent = ZnodePaths.parent(path);
        ZnodeOwner parentOwner = tree.owner(parent);
        Code error = creation.findTtlError(tree);
        if (error != null) {
          return new LocalRefusal(index, error);
        }
        if (unnumbered.contains(index)) {
          return new LocalRefusal(index, Code.NOAUTH);
        }
        if (ephemeral.contains(parent) || (parentOwner != null && parentOwner.isSession())) {
          return new LocalRefusal(index, Code.NOCHILDRENFOREPHEMERALS);
        }
        if (creation.mode().isEphemeral()) {
          ephemeral.add(path);
        }
      }
      if (isRemoval(command) && !command.mayRemove(tree.owner(path))) {
        // The znode is no longer the one that has to be removed.
        return new LocalRefusal(index, Code.NONODE);
      }
    }
    return null;
  }

  private static boolean isRemoval(QueueCommand command) {
    return command.type() == QueueCommand.REAP || command.type() == QueueCommand.EXPIRE;
  }

  /** The slot that an instance records for the command. */
  public DedupSlot createSlot(long number) {
    List<String> created =
        operations.stream()
            .filter(operation -> isCreate(operation.getType()))
            .map(Op::getPath)
            .toList();
    return new DedupSlot(number, created, freed);
  }

  /** The operations that update the owner records at an instance that executes everything. */
  public List<Op> recordOperations(long number) {
    return recordOperations(number, path -> true);
  }

  /**
   * The operations that update the owner records, in the same transaction as the creations and
   * removals.
   *
   * @param isRecorded whether the instance has the record of a path: it does if it executes the
   *     creation and the removal
   */
  public List<Op> recordOperations(long number, Predicate<String> isRecorded) {
    var records = new ArrayList<Op>();
    for (String path : freed) {
      if (isRecorded.test(path)) {
        records.add(
            Op.delete(ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)), -1));
      }
    }
    owned.forEach(
        (path, owner) -> {
          if (isRecorded.test(path)) {
            records.add(
                Op.create(
                    ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)),
                    new ZnodeOwner(owner, number).bytes(),
                    ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT));
          }
        });
    return records;
  }
}
