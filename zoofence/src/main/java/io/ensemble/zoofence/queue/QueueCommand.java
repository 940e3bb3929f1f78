package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.MalformedException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.proto.DeleteRequest;
import org.jspecify.annotations.Nullable;

/**
 * A client's request in a queue.
 *
 * @param session the session of the client
 * @param type one of {@link org.apache.zookeeper.ZooDefs.OpCode}
 * @param body the request's record
 * @param credentials the credentials of the client, under which the command is executed
 * @param flatteningEpoch the number of the flattening epoch by which the command was routed to this
 *     queue; {@link #ANY} if the epoch does not matter
 */
public record QueueCommand(
    long session, int type, ByteBuffer body, List<Credential> credentials, int flatteningEpoch) {
  /** One credential with which a client has authenticated. */
  public record Credential(String scheme, ByteBuffer proof) {}

  /** Removes an ephemeral znode as {@code delete} does, if the session still owns the znode. */
  public static final int REAP = -100;

  /** Pauses a queue while a command of a larger set, which this command names, is in its queue. */
  public static final int LOCK = -101;

  /** Moves a subtree to other instances. */
  public static final int MOVE = -102;

  /**
   * Removes a container or an expired znode, if the znode has not changed since it was examined.
   */
  public static final int EXPIRE = -103;

  /** Any flattening epoch. */
  public static final int ANY = Integer.MAX_VALUE;

  /** The error of a command that has to be routed again. The command had no effect. */
  public static final int AGAIN = -1000;

  private static final byte FORMAT = 1;

  public QueueCommand {
    credentials = List.copyOf(credentials);
  }

  /** A command that every flattening epoch routes to the same queue. */
  public QueueCommand(long session, int type, ByteBuffer body, List<Credential> credentials) {
    this(session, type, body, credentials, ANY);
  }

  /**
   * Moves a subtree to other instances.
   *
   * @param rule the new holders, as in a flattening's text
   */
  public static QueueCommand move(String path, String rule, List<Credential> credentials) {
    return new QueueCommand(
        0, MOVE, StandardCharsets.UTF_8.encode(rule + "\n" + path), credentials);
  }

  /** The path of the subtree to move. */
  public String movedPath() {
    String text = StandardCharsets.UTF_8.decode(body.duplicate()).toString();
    return text.substring(text.indexOf('\n') + 1);
  }

  /** The rule with the new holders of the subtree. */
  public String movedTo() {
    return StandardCharsets.UTF_8
        .decode(body.duplicate())
        .toString()
        .lines()
        .findFirst()
        .orElse("");
  }

  /** Removes an ephemeral znode of a session that has ended. */
  public static QueueCommand reap(long session, String path, List<Credential> credentials) {
    return new QueueCommand(session, REAP, Jute.write(new DeleteRequest(path, -1)), credentials);
  }

  /**
   * Removes a container or an expired znode.
   *
   * @param owner the owner of the znode, and the command that created the znode
   * @param version the znode's version when it was examined
   */
  public static QueueCommand expire(
      ZnodeOwner owner, String path, int version, List<Credential> credentials) {
    ByteBuffer removal = Jute.write(new DeleteRequest(path, version));
    ByteBuffer body = ByteBuffer.allocate(removal.remaining() + Long.BYTES);
    return new QueueCommand(
        owner.owner(), EXPIRE, body.put(removal).putLong(owner.command()).flip(), credentials);
  }

  /**
   * Whether the znode still has the owner that {@code REAP} or {@code EXPIRE} requires for the
   * removal.
   */
  public boolean mayRemove(@Nullable ZnodeOwner owner) {
    return owner != null
        && owner.owner() == session
        && (type != EXPIRE || owner.command() == body.getLong(body.limit() - Long.BYTES));
  }

  /**
   * Pauses a queue.
   *
   * @param commandPath the path of the command, in another queue, that requires the pause
   */
  public static QueueCommand lock(String commandPath) {
    return new QueueCommand(0, LOCK, StandardCharsets.UTF_8.encode(commandPath), List.of());
  }

  /** The command that requires the pause. */
  public String lockedFor() {
    return StandardCharsets.UTF_8.decode(body.duplicate()).toString();
  }

  public byte[] bytes() {
    int length = 1 + Long.BYTES + 4 * Integer.BYTES + body.remaining();
    for (Credential credential : credentials) {
      length +=
          2 * Integer.BYTES + toSchemeBytes(credential).length + credential.proof().remaining();
    }
    ByteBuffer bytes = ByteBuffer.allocate(length);
    bytes
        .put(FORMAT)
        .putLong(session)
        .putInt(type)
        .putInt(flatteningEpoch)
        .putInt(credentials.size());
    for (Credential credential : credentials) {
      bytes.putInt(toSchemeBytes(credential).length).put(toSchemeBytes(credential));
      bytes.putInt(credential.proof().remaining()).put(credential.proof().duplicate());
    }
    return bytes.putInt(body.remaining()).put(body.duplicate()).array();
  }

  private static byte[] toSchemeBytes(Credential credential) {
    return credential.scheme().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the result of {@link #bytes}.
   *
   * @throws IllegalArgumentException if the bytes are not a command
   */
  public static QueueCommand read(byte[] bytes) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      byte format = buffer.get();
      if (format != FORMAT) {
        throw new IllegalArgumentException("command must be of format 1; got " + format);
      }
      long session = buffer.getLong();
      int type = buffer.getInt();
      int flatteningEpoch = buffer.getInt();
      var credentials = new ArrayList<Credential>();
      int count = buffer.getInt();
      if (count < 0) {
        throw new BufferUnderflowException();
      }
      for (int remaining = count; remaining > 0; remaining--) {
        String scheme = StandardCharsets.UTF_8.decode(readPart(buffer)).toString();
        credentials.add(new Credential(scheme, readPart(buffer)));
      }
      return new QueueCommand(session, type, readPart(buffer), credentials, flatteningEpoch);
    } catch (BufferUnderflowException | MalformedException e) {
      throw new IllegalArgumentException("expected a command; got " + bytes.length + " bytes", e);
    }
  }

  private static ByteBuffer readPart(ByteBuffer buffer) {
    int length = buffer.getInt();
    if (length < 0 || length > buffer.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer part = buffer.slice(buffer.position(), length);
    buffer.position(buffer.position() + length);
    return part;
  }
}
