package io.ensemble.zoofence.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;

/** Converts bytes to ZooKeeper's records, and back. */
public final class Jute {
  private Jute() {}

  /**
   * Fills a record.
   *
   * @throws MalformedException if the bytes are not a record of this kind
   */
  public static <R extends Record> R read(ByteBuffer bytes, R into) {
    try {
      into.deserialize(BinaryInputArchive.getArchive(stream(bytes.duplicate())), "record");
      return into;
    } catch (IOException | RuntimeException e) {
      throw new MalformedException(into.getClass().getSimpleName(), e);
    }
  }

  /** Whether the bytes are exactly one record of this kind. */
  public static boolean isWhole(ByteBuffer bytes, Record kind) {
    ByteBuffer rest = bytes.duplicate();
    try {
      kind.deserialize(BinaryInputArchive.getArchive(stream(rest)), "record");
      return !rest.hasRemaining();
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** The bytes of a record. */
  public static ByteBuffer write(Record record) {
    var bytes = new ByteArrayOutputStream();
    try {
      record.serialize(BinaryOutputArchive.getArchive(bytes), "record");
    } catch (IOException e) {
      throw new AssertionError("writing to memory cannot fail", e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  /**
   * The string at the beginning of the bytes; in most requests, the path.
   *
   * @throws MalformedException if the bytes do not begin with a string
   */
  public static String leadingText(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    if (rest.remaining() < Integer.BYTES) {
      throw new MalformedException("path", null);
    }
    int length = rest.getInt();
    if (length < 0 || length > rest.remaining()) {
      throw new MalformedException("path", null);
    }
    return StandardCharsets.UTF_8.decode(rest.limit(rest.position() + length)).toString();
  }

  private static InputStream stream(ByteBuffer bytes) {
    return new InputStream() {
      @Override
      public int read() {
        return bytes.hasRemaining() ? bytes.get() & 0xff : -1;
      }

      @Override
      public int read(byte[] into, int from, int most) {
        if (!bytes.hasRemaining()) {
          return most == 0 ? 0 : -1;
        }
        int count = Math.min(most, bytes.remaining());
        bytes.get(into, from, count);
        return count;
      }
    };
  }
}
