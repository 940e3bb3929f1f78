package io.ensemble.zoofence.queue;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * How a command ended. It travels in a znode's name, so that the event which tells of the znode
 * tells the outcome, too, and nobody has to come back and ask.
 *
 * @param error 0, or one of ZooKeeper's codes
 * @param zxid of the transaction at the canonical instance, as clients see it; 0 if it failed
 * @param body the reply's record
 */
public record CommandOutcome(int error, long zxid, ByteBuffer body) {
  /** The name of the znode that carries the outcome of the command with this number. */
  public String name(String queue, long command) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Long.BYTES + body.remaining());
    bytes.putInt(error).putLong(zxid).put(body.duplicate());
    return queue
        + ":"
        + command
        + ":"
        + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /** An outcome and whose it is. */
  public record Addressed(String queue, long command, CommandOutcome outcome) {}

  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException if it is none of an outcome
   */
  public static Addressed read(String name) {
    String[] parts = name.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("wanted QUEUE:NUMBER:OUTCOME; got " + name);
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(parts[2]));
    if (bytes.remaining() < Integer.BYTES + Long.BYTES) {
      throw new IllegalArgumentException("wanted an outcome; got " + name);
    }
    var outcome = new CommandOutcome(bytes.getInt(), bytes.getLong(), bytes.slice());
    return new Addressed(parts[0], Long.parseLong(parts[1]), outcome);
  }
}
