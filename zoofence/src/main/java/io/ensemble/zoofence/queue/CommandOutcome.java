package io.ensemble.zoofence.queue;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * The outcome of a command. A znode's name carries the outcome, so the event that reports the znode
 * also reports the outcome. The client then needs no further request.
 *
 * @param error 0, or one of ZooKeeper's codes
 * @param zxid the transaction at the canonical instance, as clients see it; 0 if the command failed
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

  /** An outcome, and the command to which it belongs. */
  public record Addressed(String queue, long command, CommandOutcome outcome) {}

  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException if the name does not carry an outcome
   */
  public static Addressed read(String name) {
    String[] parts = name.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("expected QUEUE:NUMBER:OUTCOME; got " + name);
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(parts[2]));
    if (bytes.remaining() < Integer.BYTES + Long.BYTES) {
      throw new IllegalArgumentException("expected an outcome; got " + name);
    }
    var outcome = new CommandOutcome(bytes.getInt(), bytes.getLong(), bytes.slice());
    return new Addressed(parts[0], Long.parseLong(parts[1]), outcome);
  }
}
