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
 * A creation as a client wrote it.
 *
 * @param ttl the time that it lives, in milliseconds; -1 for one without
 */
record ZnodeCreation(String path, byte[] data, List<ACL> acl, CreateMode mode, long ttl) {
  /**
   * Reads an operation that creates.
   *
   * @throws IllegalArgumentException if it is of no mode
   */
  static ZnodeCreation of(Op operation) {
    if (operation.toRequestRecord() instanceof CreateTTLRequest one) {
      return new ZnodeCreation(
          one.getPath(),
          one.getData(),
          one.getAcl(),
          CommandPlan.mode(one.getFlags()),
          one.getTtl());
    }
    var one = (CreateRequest) operation.toRequestRecord();
    return new ZnodeCreation(
        one.getPath(), one.getData(), one.getAcl(), CommandPlan.mode(one.getFlags()), -1);
  }

  /**
   * Whose the znode will be: a session's, one of ZooKeeper's numbers for containers and times to
   * live, or 0.
   */
  long owner(long session) {
    if (mode.isContainer()) {
      return EphemeralType.CONTAINER_EPHEMERAL_OWNER;
    }
    if (mode.isTTL()) {
      return isOfValidTime() ? EphemeralType.TTL.toEphemeralOwner(ttl) : 0;
    }
    return mode.isEphemeral() ? session : 0;
  }

  /** Whether its access list is one that no instance refuses, whoever asks. */
  boolean isForAnyone() {
    return acl != null
        && !acl.isEmpty()
        && acl.stream().allMatch(one -> ZooDefs.Ids.ANYONE_ID_UNSAFE.equals(one.getId()));
  }

  /** What is wrong with its time to live, if something is. */
  @Nullable Code mistake(CommandPlan.Tree tree) {
    if (mode.isTTL() && !tree.takesTtl()) {
      return Code.UNIMPLEMENTED;
    }
    return isOfValidTime() ? null : Code.BADARGUMENTS;
  }

  private boolean isOfValidTime() {
    return mode.isTTL() ? ttl > 0 && ttl <= EphemeralType.TTL.maxValue() : ttl < 0;
  }

  /** As an instance does it by itself. */
  Op under(String name) {
    return mode.isTTL()
        ? Op.create(name, data, acl, unnumbered(), ttl)
        : Op.create(name, data, acl, unnumbered());
  }

  private CreateMode unnumbered() {
    return mode.isTTL() ? CreateMode.PERSISTENT_WITH_TTL : mode;
  }
}
