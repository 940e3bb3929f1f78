package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.wire.Guarded;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Request;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
 * Looks at a write before its bytes become part of a transaction. They are carried over as they
 * are, so they have to be one record and nothing behind it; and a queue is no place for a path that
 * no server takes.
 */
final class Writes {
  /** What ZooKeeper's servers take as a request at most, unless told otherwise. */
  private static final int MOST_BYTES = Integer.getInteger("jute.maxbuffer", 0xfffff);

  private static final int MOST_OPERATIONS = 4096;
  private static final int OVERHEAD_BYTES = 4096;

  /** In the slot, in the record of an owner, and in a lock. */
  private static final int PATH_TIMES = 3;

  private Writes() {}

  /** What is wrong with a request, or null. */
  static @Nullable Code mistake(Request request) {
    Record kind = kind(request.type());
    if (kind == null) {
      return null;
    }
    if (!Jute.isWhole(request.body(), kind)) {
      return Code.MARSHALLINGERROR;
    }
    if (request.type() == OpCode.multi) {
      for (Op operation : Routes.operations(request.body())) {
        if (!isPath(operation.getPath(), operation.toRequestRecord())) {
          return Code.BADARGUMENTS;
        }
      }
      return null;
    }
    return isPath(request.path(), kind) ? null : Code.BADARGUMENTS;
  }

  /**
   * Whether a write can go through a queue: at each instance its transaction says more than the
   * write itself, and its outcome has to fit into a name.
   */
  static boolean fitsQueue(Request request) {
    List<Op> operations =
        request.type() == OpCode.multi ? Routes.operations(request.body()) : List.of();
    long bytes = request.body().remaining() + OVERHEAD_BYTES;
    for (String path : Routes.paths(request)) {
      bytes += PATH_TIMES * (path.getBytes(StandardCharsets.UTF_8).length + 16L);
    }
    return bytes <= MOST_BYTES && operations.size() <= MOST_OPERATIONS;
  }

  /** Whether a write that goes to one instance fits a frame together with its guard. */
  static boolean fitsGuarded(Request request) {
    return request.body().remaining() + 2 * Integer.BYTES + Guarded.added(Names.GUARD)
        <= MOST_BYTES;
  }

  private static @Nullable Record kind(int type) {
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

  /** A sequential name becomes one by its number: before that it may be empty, or two dots. */
  private static boolean isPath(String path, Record write) {
    try {
      PathUtils.validatePath(path, isSequential(write));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isSequential(Record write) {
    int flags =
        write instanceof CreateRequest create
            ? create.getFlags()
            : write instanceof CreateTTLRequest create ? create.getFlags() : 0;
    try {
      return CreateMode.fromFlag(flags).isSequential();
    } catch (KeeperException e) {
      throw new IllegalArgumentException("no mode of a znode: " + flags, e);
    }
  }
}
