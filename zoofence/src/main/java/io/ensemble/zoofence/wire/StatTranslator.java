package io.ensemble.zoofence.wire;

import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Translates the {@code Stat} at the end of a reply in place, because a reply may carry a megabyte
 * of data before it.
 */
public final class StatTranslator {
  private static final int BYTES = 68;
  private static final int CZXID = 0;
  private static final int MZXID = 8;
  private static final int OWNER = 44;
  private static final int PZXID = 60;

  private StatTranslator() {}

  /** Whether a reply to a request of this type ends with a stat. */
  public static boolean in(int type) {
    return switch (type) {
      case OpCode.exists,
          OpCode.getData,
          OpCode.setData,
          OpCode.getACL,
          OpCode.setACL,
          OpCode.getChildren2,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL ->
          true;
      default -> false;
    };
  }

  /** The owner of an ephemeral znode, in the instance's numbers; 0 for a permanent one. */
  public static long owner(ZooKeeperReply reply) {
    return reply.body().getLong(start(reply.body()) + OWNER);
  }

  /**
   * Whether an owner is a session; other numbers mark containers and znodes with a time to live.
   */
  public static boolean isSession(long owner) {
    return owner != 0 && owner != Long.MIN_VALUE && owner >>> 56 != 0xff;
  }

  public static long czxid(ZooKeeperReply reply) {
    return reply.body().getLong(start(reply.body()) + CZXID);
  }

  /** The reply with the transaction numbers that clients see, and another owner. */
  public static ZooKeeperReply translated(
      ZooKeeperReply reply, int instance, LongUnaryOperator owner) {
    ByteBuffer body = copy(reply.body());
    translate(body, start(body), instance, owner);
    return reply.with(body);
  }

  /** The reply with another owner in its stat, in the numbers that clients see. */
  public static ZooKeeperReply owned(ZooKeeperReply reply, long owner) {
    ByteBuffer body = copy(reply.body());
    return reply.with(body.putLong(start(body) + OWNER, owner));
  }

  static void translate(ByteBuffer body, int start, int instance, LongUnaryOperator owner) {
    for (int field : new int[] {CZXID, MZXID, PZXID}) {
      body.putLong(start + field, Zxids.seen(body.getLong(start + field), instance));
    }
    long was = body.getLong(start + OWNER);
    if (was != 0) {
      body.putLong(start + OWNER, owner.applyAsLong(was));
    }
  }

  private static int start(ByteBuffer body) {
    if (body.remaining() < BYTES) {
      throw new MalformedException("stat", null);
    }
    return body.limit() - BYTES;
  }

  private static ByteBuffer copy(ByteBuffer body) {
    return ByteBuffer.allocate(body.remaining()).put(body.duplicate()).flip();
  }
}
