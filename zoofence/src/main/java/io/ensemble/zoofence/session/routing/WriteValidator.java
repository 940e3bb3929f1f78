package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.GuardedWrite;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.List;
import java.util.Objects;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

/**
 * Validates a write before its bytes become part of a transaction. The bytes are copied unchanged,
 * so they have to be exactly one record. A path that no server accepts must not enter a queue.
 */
public final class WriteValidator {
  /** The longest request that ZooKeeper's servers accept by default, in bytes. */
  private static final int MOST_BYTES = Integer.getInteger("jute.maxbuffer", 0xfffff);

  private static final int MOST_OPERATIONS = 4096;

  private WriteValidator() {}

  /** The error of a request, or null. */
  static @Nullable Code findError(ZooKeeperRequest request) {
    Record emptyRecord = createRecord(request.type());
    if (emptyRecord == null) {
      return null;
    }
    if (!Jute.isWhole(request.body(), emptyRecord)) {
      return Code.MARSHALLINGERROR;
    }
    if (request.type() == OpCode.multi) {
      for (Op operation : RouteFinder.operations(request.body())) {
        if (!isPath(operation.getPath(), operation.toRequestRecord())) {
          return Code.BADARGUMENTS;
        }
      }
      return null;
    }
    return isPath(request.path(), emptyRecord) ? null : Code.BADARGUMENTS;
  }

  /**
   * Whether a write can go through a queue: a server must accept its command, its requests at each
   * instance, and the records written at its end.
   */
  public static boolean fitsQueue(
      ZooKeeperRequest request, List<QueueCommand.Credential> credentials) {
    return RequestSize.of(request, credentials) <= MOST_BYTES
        && (request.type() != OpCode.multi
            || RouteFinder.operations(request.body()).size() <= MOST_OPERATIONS);
  }

  /** Whether a write to one instance fits into a frame together with the check of the guard. */
  static boolean fitsGuarded(ZooKeeperRequest request) {
    return request.body().remaining() + 2 * Integer.BYTES + GuardedWrite.added(ZooFencePaths.GUARD)
        <= MOST_BYTES;
  }

  private static @Nullable Record createRecord(int type) {
    return switch (type) {
      case OpCode.create, OpCode.create2, OpCode.createContainer -> new CreateRequest();
      case OpCode.createTTL -> new CreateTTLRequest();
      case OpCode.delete, OpCode.deleteContainer -> new DeleteRequest();
      case OpCode.setData -> new SetDataRequest();
      case OpCode.setACL -> new SetACLRequest();
      case OpCode.multi -> new MultiOperationRecord();
      default -> null;
    };
  }

  /**
   * Whether the path is valid. A sequential name becomes valid by its number: without the number it
   * may be empty, or two dots.
   */
  private static boolean isPath(String path, Record write) {
    try {
      PathUtils.validatePath(path, isSequential(write));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The record of a single write. */
  static Record read(ZooKeeperRequest request) {
    Record emptyRecord =
        Objects.requireNonNull(createRecord(request.type()), "unknown type of write");
    return Jute.read(request.body(), emptyRecord);
  }

  /** Whether the created znode is not permanent. */
  static boolean isOwned(Record write) {
    CreateMode mode = mode(write);
    return mode.isEphemeral() || mode.isContainer() || mode.isTTL();
  }

  private static boolean isSequential(Record write) {
    return mode(write).isSequential();
  }

  private static CreateMode mode(Record write) {
    int flags =
        write instanceof CreateRequest create
            ? create.getFlags()
            : write instanceof CreateTTLRequest create ? create.getFlags() : 0;
    try {
      return CreateMode.fromFlag(flags);
    } catch (KeeperException e) {
      throw new IllegalArgumentException("invalid znode mode: " + flags, e);
    }
  }
}
