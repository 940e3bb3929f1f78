package io.ensemble.zoofence.queue.plan;

import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

/** The result of an operation that certainly took effect, where the response was lost. */
final class ReconstructedResult {
  private ReconstructedResult() {}

  /**
   * @param zxid the operation's transaction
   * @param current the znode's current stat; null if the znode is gone
   */
  static OpResult reconstruct(Op operation, long zxid, @Nullable Stat current) {
    Stat stat = current == null ? new Stat() : current;
    if (CommandPlan.isCreate(operation.getType())) {
      stat.setCzxid(zxid);
      stat.setMzxid(zxid);
      stat.setPzxid(zxid);
      stat.setVersion(0);
      return new OpResult.CreateResult(operation.getPath(), stat);
    }
    if (operation.getType() == OpCode.setData) {
      stat.setMzxid(zxid);
      if (!needsVersion(operation)) {
        stat.setVersion(expectedVersion(operation) + 1);
      }
      return new OpResult.SetDataResult(stat);
    }
    return operation.getType() == OpCode.delete
        ? new OpResult.DeleteResult()
        : new OpResult.CheckResult();
  }

  /** Whether only the znode's state right after the operation shows the version that it made. */
  static boolean needsVersion(Op operation) {
    return operation.getType() == OpCode.setData && expectedVersion(operation) < 0;
  }

  private static int expectedVersion(Op operation) {
    return ((SetDataRequest) operation.toRequestRecord()).getVersion();
  }
}
