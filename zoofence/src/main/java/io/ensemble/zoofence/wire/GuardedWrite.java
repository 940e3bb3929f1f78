package io.ensemble.zoofence.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * A write together with a check of the instance's guard, as one transaction of the instance. The
 * write takes effect only if no command has locked the instance since the guard was read. The bytes
 * of the write, and those of its reply, are copied unchanged.
 */
public final class GuardedWrite {
  /** The size of a type, a flag and an error, which precede each operation and each result. */
  private static final int HEADER_BYTES = Integer.BYTES + 1 + Integer.BYTES;

  private GuardedWrite() {}

  /** Whether a transaction can contain a write of this type. */
  public static boolean possible(int type) {
    return switch (type) {
      case OpCode.create,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL,
          OpCode.delete,
          OpCode.setData,
          OpCode.multi ->
          true;
      default -> false;
    };
  }

  /** The write after a check that {@code guard} has this version. */
  public static ZooKeeperRequest guarded(ZooKeeperRequest write, String guard, int version) {
    byte[] path = guard.getBytes(StandardCharsets.UTF_8);
    boolean multi = write.type() == OpCode.multi;
    ByteBuffer bytes = ByteBuffer.allocate(added(guard) + write.body().remaining());
    header(bytes, OpCode.check, false);
    bytes.putInt(path.length).put(path).putInt(version);
    if (!multi) {
      header(bytes, write.type(), false);
    }
    bytes.put(write.body().duplicate());
    if (!multi) {
      header(bytes, OpCode.error, true);
    }
    return new ZooKeeperRequest(write.xid(), OpCode.multi, bytes.flip());
  }

  /** The maximum number of bytes that the check adds to a write. */
  public static int added(String guard) {
    return 3 * HEADER_BYTES + 2 * Integer.BYTES + guard.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void header(ByteBuffer into, int type, boolean last) {
    into.putInt(type).put((byte) (last ? 1 : 0)).putInt(-1);
  }

  /** Whether the guard has rejected a guarded write, which had no effect. */
  public static boolean turnedAway(ZooKeeperReply reply) {
    return reply.succeeded() && error(reply.body(), 0) == Code.BADVERSION.intValue();
  }

  /** The reply to the write itself, extracted from the reply to the guarded one. */
  public static ZooKeeperReply unguarded(ZooKeeperReply reply, int type) {
    if (!reply.succeeded()) {
      return reply;
    }
    ByteBuffer body = reply.body();
    require(body, 2 * HEADER_BYTES);
    boolean refused = body.getInt(body.position()) == OpCode.error;
    int own = HEADER_BYTES + (refused ? Integer.BYTES : 0);
    require(body, own);
    if (type == OpCode.multi) {
      return reply.with(body.slice(body.position() + own, body.remaining() - own));
    }
    int error = error(body, own);
    if (error != 0) {
      return new ZooKeeperReply(reply.xid(), reply.zxid(), error, ByteBuffer.allocate(0));
    }
    require(body, own + 2 * HEADER_BYTES);
    int length = body.remaining() - own - 2 * HEADER_BYTES;
    return reply.with(body.slice(body.position() + own + HEADER_BYTES, length));
  }

  /** The error of the result that begins at an offset; 0 if the result is not an error. */
  private static int error(ByteBuffer body, int offset) {
    require(body, offset + HEADER_BYTES);
    int at = body.position() + offset;
    if (body.getInt(at) != OpCode.error) {
      return 0;
    }
    require(body, offset + HEADER_BYTES + Integer.BYTES);
    return body.getInt(at + HEADER_BYTES);
  }

  private static void require(ByteBuffer body, int bytes) {
    if (body.remaining() < bytes) {
      throw new MalformedException("result of a transaction", null);
    }
  }
}
