package io.ensemble.zoofence.wire;

import java.nio.ByteBuffer;
import org.apache.jute.Record;

/**
 * A request of a client.
 *
 * @param xid the client's number of the request; a negative number has a special meaning
 * @param type one of {@link org.apache.zookeeper.ZooDefs.OpCode}
 * @param body the record that the type requires, without the header
 */
public record ZooKeeperRequest(int xid, int type, ByteBuffer body) {
  public static final int PING_XID = -2;
  public static final int AUTH_XID = -4;
  public static final int SET_WATCHES_XID = -8;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  public static ZooKeeperRequest of(int type, Record body) {
    return new ZooKeeperRequest(0, type, Jute.write(body));
  }

  /** A request without a body. */
  public static ZooKeeperRequest bare(int type) {
    return new ZooKeeperRequest(0, type, NOTHING);
  }

  public ZooKeeperRequest numbered(int number) {
    return new ZooKeeperRequest(number, type, body);
  }

  /** The path of the request, if its record begins with a path. */
  public String path() {
    return Jute.leadingText(body);
  }

  /** The request as a frame, without the length. */
  public ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + body.remaining());
    return bytes.putInt(xid).putInt(type).put(body.duplicate()).flip();
  }

  /** Reads a frame without its length. */
  public static ZooKeeperRequest read(ByteBuffer frame) {
    if (frame.remaining() < 2 * Integer.BYTES) {
      throw new MalformedException("request's header", null);
    }
    ByteBuffer rest = frame.duplicate();
    return new ZooKeeperRequest(rest.getInt(), rest.getInt(), rest.slice());
  }
}
