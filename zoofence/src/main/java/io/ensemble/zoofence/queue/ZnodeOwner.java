package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.wire.StatTranslator;
import java.nio.ByteBuffer;

/**
 * The owner of a znode that several instances hold and that is not permanent.
 *
 * @param owner a session, or ZooKeeper's number for containers or for a time to live
 * @param command the command that created the znode, in the queue of those instances
 */
public record ZnodeOwner(long owner, long command) {
  /** Whether the znode is removed with a session. */
  public boolean isSession() {
    return StatTranslator.isSession(owner);
  }

  /** The path at which the administrative ensemble records that the znode has to be removed. */
  public String recordPath(String path) {
    String parent =
        isSession()
            ? ZnodePaths.child(ZooFencePaths.EPHEMERALS, ZooFencePaths.hex(owner))
            : ZooFencePaths.UNUSED;
    return ZnodePaths.child(parent, ZooFencePaths.record(path, command));
  }

  public byte[] bytes() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(owner).putLong(command).array();
  }

  public static ZnodeOwner read(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new ZnodeOwner(buffer.getLong(), buffer.getLong());
  }
}
