package io.ensemble.zoofence.wire;

import java.nio.ByteBuffer;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.Code;

/**
 * An instance's reply to a request, or an event.
 *
 * @param xid the request's number; {@link #EVENT_XID} for an event
 * @param zxid the last transaction that the server had seen
 * @param error 0, or one of ZooKeeper's codes
 * @param body the record, empty after an error
 */
public record ZooKeeperReply(int xid, long zxid, int error, ByteBuffer body) {
  public static final int EVENT_XID = -1;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;

  /** A reply with an error. */
  public static ZooKeeperReply failed(Code error) {
    return failed(error.intValue());
  }

  public static ZooKeeperReply failed(int error) {
    return new ZooKeeperReply(0, 0, error, NOTHING);
  }

  public static ZooKeeperReply done(Record body) {
    return new ZooKeeperReply(0, 0, 0, Jute.write(body));
  }

  /** A reply of success without a body. */
  public static ZooKeeperReply done() {
    return new ZooKeeperReply(0, 0, 0, NOTHING);
  }

  public boolean succeeded() {
    return error == 0;
  }

  public boolean failedWith(Code code) {
    return error == code.intValue();
  }

  public ZooKeeperReply with(ByteBuffer otherBody) {
    return new ZooKeeperReply(xid, zxid, error, otherBody);
  }

  public ZooKeeperReply addressed(int number, long asOf) {
    return new ZooKeeperReply(number, asOf, error, body);
  }

  /** The reply as a frame, without the length. */
  public ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + body.remaining());
    return bytes.putInt(xid).putLong(zxid).putInt(error).put(body.duplicate()).flip();
  }

  /** Reads a frame without its length. */
  public static ZooKeeperReply read(ByteBuffer frame) {
    if (frame.remaining() < HEADER_BYTES) {
      throw new MalformedException("reply's header", null);
    }
    ByteBuffer rest = frame.duplicate();
    return new ZooKeeperReply(rest.getInt(), rest.getLong(), rest.getInt(), rest.slice());
  }
}
