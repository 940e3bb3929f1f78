package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.wire.StatTranslator;
import java.nio.ByteBuffer;

/**
 * Whose a znode is that several instances hold, and that does not stay of itself.
 *
 * @param owner a session, or ZooKeeper's number for containers or for a time to live
 * @param command the one that created it, in the queue of those instances
 */
public record ZnodeOwner(long owner, long command) {
  /** Whether it goes with a session. */
  public boolean isSession() {
    return StatTranslator.isSession(owner);
  }

  /** Where the administrative ensemble remembers that it has to go. */
  public String record(String path) {
    String home =
        isSession()
            ? ZnodePaths.child(ZooFencePaths.EPHEMERALS, ZooFencePaths.hex(owner))
            : ZooFencePaths.UNUSED;
    return ZnodePaths.child(home, ZooFencePaths.record(path, command));
  }

  public byte[] bytes() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(owner).putLong(command).array();
  }

  public static ZnodeOwner read(byte[] bytes) {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    return new ZnodeOwner(rest.getLong(), rest.getLong());
  }
}
