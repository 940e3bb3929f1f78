package io.ensemble.zoofence.queue.plan;

import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.server.EphemeralType;
import org.jspecify.annotations.Nullable;

/**
 * A creation as the client wrote it.
 *
 * @param ttl the time to live, in milliseconds; -1 for none
 */
record ZnodeCreation(String path, byte[] data, List<ACL> acl, CreateMode mode, long ttl) {
  /**
   * Reads an operation that creates.
   *
   * @throws IllegalArgumentException if the operation's mode is invalid
   */
  static ZnodeCreation of(Op operation) {
    if (operation.toRequestRecord() instanceof CreateTTLRequest request) {
      return new ZnodeCreation(
          request.getPath(),
          request.getData(),
          request.getAcl(),
          CommandPlan.mode(request.getFlags()),
          request.getTtl());
    }
    var request = (CreateRequest) operation.toRequestRecord();
    return new ZnodeCreation(
        request.getPath(),
        request.getData(),
        request.getAcl(),
        CommandPlan.mode(request.getFlags()),
        -1);
  }

  /**
   * The owner that the znode will have: a session, one of ZooKeeper's numbers for containers and
   * times to live, or 0.
   */
  long owner(long session) {
    if (mode.isContainer()) {
      return EphemeralType.CONTAINER_EPHEMERAL_OWNER;
    }
    if (mode.isTTL()) {
      return hasValidTtl() ? EphemeralType.TTL.toEphemeralOwner(ttl) : 0;
    }
    return mode.isEphemeral() ? session : 0;
  }

  /** Whether the access list is one that every instance accepts from every client. */
  boolean isForAnyone() {
    return acl != null
        && !acl.isEmpty()
        && acl.stream().allMatch(entry -> ZooDefs.Ids.ANYONE_ID_UNSAFE.equals(entry.getId()));
  }

  /** The error of the time to live; null if there is none. */
  @Nullable Code findTtlError(CommandPlan.Tree tree) {
    if (mode.isTTL() && !tree.isTtlSupported()) {
      return Code.UNIMPLEMENTED;
    }
    return hasValidTtl() ? null : Code.BADARGUMENTS;
  }

  private boolean hasValidTtl() {
    return mode.isTTL() ? ttl > 0 && ttl <= EphemeralType.TTL.maxValue() : ttl < 0;
  }

  /** The operation in the form in which a single instance executes it. */
  Op toOperation(String name) {
    return mode.isTTL()
        ? Op.create(name, data, acl, singleInstanceMode(), ttl)
        : Op.create(name, data, acl, singleInstanceMode());
  }

  private CreateMode singleInstanceMode() {
    return mode.isTTL() ? CreateMode.PERSISTENT_WITH_TTL : mode;
  }
}
