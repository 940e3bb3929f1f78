package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.wire.Stats;
import java.nio.ByteBuffer;

/**
 * Whose a znode is that several instances hold, and that does not stay of itself.
 *
 * @param owner a session, or ZooKeeper's number for containers or for a time to live
 * @param command the one that created it, in the queue of those instances
 */
record Ownership(long owner, long command) {
  /** Whether it goes with a session. */
  boolean isSession() {
    return Stats.isSession(owner);
  }

  /** Where the administrative ensemble remembers that it has to go. */
  String record(String path) {
    String home = isSession() ? Paths.child(Names.EPHEMERALS, Names.hex(owner)) : Names.UNUSED;
    return Paths.child(home, Names.record(path, command));
  }

  byte[] bytes() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(owner).putLong(command).array();
  }

  static Ownership read(byte[] bytes) {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    return new Ownership(rest.getLong(), rest.getLong());
  }
}
