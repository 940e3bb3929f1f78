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
      int expected = ((SetDataRequest) operation.toRequestRecord()).getVersion();
      if (expected >= 0) {
        stat.setVersion(expected + 1);
      } else if (stat.getMzxid() != zxid) {
        // A later change made the current version, and its owner alone may build on that.
        stat.setVersion(Math.max(0, stat.getVersion() - 1));
      }
      stat.setMzxid(zxid);
      return new OpResult.SetDataResult(stat);
    }
    return operation.getType() == OpCode.delete
        ? new OpResult.DeleteResult()
        : new OpResult.CheckResult();
  }
}
