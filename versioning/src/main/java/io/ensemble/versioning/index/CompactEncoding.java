package io.ensemble.versioning.index;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Encodes numbers and bytes; short if they are small or similar to the previous ones. */
public final class CompactEncoding {

  private static final int MORE = 0x80;
  private static final int SEVEN = 7;
  private static final int HALF_A_BYTE = 4;

  /** The maximum number of bytes in a row that differ in bytes that are {@link #near}. */
  private static final int MOST_CHANGED = 15;

  /** Writes a value. */
  public interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  /** Reads a value. */
  public interface Reading<R> {
    R from(DataInputStream in) throws IOException;
  }

  private CompactEncoding() {}

  public static byte[] written(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Throws {@link IllegalArgumentException} for bytes that end too soon or too late. */
  public static <R> R read(byte[] bytes, Reading<R> reading) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      R read = reading.from(in);
      if (in.available() > 0) {
        throw new IllegalArgumentException(in.available() + " bytes are left over");
      }
      return read;
    } catch (EOFException e) {
      throw new IllegalArgumentException("unexpected end of the bytes", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number of at least 0, with seven bits per byte. */
  public static void number(DataOutputStream out, long number) throws IOException {
    long left = number;
    while ((left & -MORE) != 0) {
      out.writeByte((int) (left & (MORE - 1) | MORE));
      left >>>= SEVEN;
    }
    out.writeByte((int) left);
  }

  public static long number(DataInputStream in) throws IOException {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE; shift += SEVEN) {
      byte next = in.readByte();
      number |= (long) (next & (MORE - 1)) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }

  /** A number from 0 to {@link Integer#MAX_VALUE}. */
  public static int small(DataInputStream in) throws IOException {
    long read = number(in);
    if (read < 0 || read > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a number must be in [0, 2^31 - 1]; got " + read);
    }
    return (int) read;
  }

  /** A number of either sign that is near 0. */
  public static void difference(DataOutputStream out, long difference) throws IOException {
    number(out, difference << 1 ^ difference >> Long.SIZE - 1);
  }

  public static long difference(DataInputStream in) throws IOException {
    long read = number(in);
    return read >>> 1 ^ -(read & 1);
  }

  /** A length of at most the remaining bytes. */
  public static int count(DataInputStream in) throws IOException {
    long count = number(in);
    if (count < 0 || count > in.available()) {
      throw new IllegalArgumentException(
          "a count of " + count + ", with " + in.available() + " bytes left");
    }
    return (int) count;
  }

  public static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
    number(out, bytes.length);
    out.write(bytes);
  }

  public static byte[] bytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[count(in)];
    in.readFully(bytes);
    return bytes;
  }

  /** Bytes that begin as {@code before} does. */
  public static void like(DataOutputStream out, byte[] before, byte[] bytes) throws IOException {
    int same = 0;
    while (same < before.length && same < bytes.length && before[same] == bytes[same]) {
      same++;
    }
    number(out, same);
    number(out, bytes.length - same);
    out.write(bytes, same, bytes.length - same);
  }

  public static byte[] like(DataInputStream in, byte[] before) throws IOException {
    long same = number(in);
    int more = count(in);
    if (same < 0 || same > before.length) {
      throw new IllegalArgumentException(same + " bytes of the " + before.length + " before");
    }
    byte[] bytes = new byte[(int) same + more];
    System.arraycopy(before, 0, bytes, 0, (int) same);
    in.readFully(bytes, (int) same, more);
    return bytes;
  }

  /**
   * Encodes bytes of the same length as {@code before}, of which at most {@link #MOST_CHANGED} in a
   * row differ: the lengths of the part that differs and of the part after it in one byte, then the
   * part that differs. Empty if the bytes differ by more.
   */
  public static byte[] near(byte[] before, byte[] bytes) {
    int same = 0;
    while (same < Math.min(before.length, bytes.length) && before[same] == bytes[same]) {
      same++;
    }
    int after = 0;
    while (after < Math.min(MOST_CHANGED, Math.min(before.length, bytes.length) - same)
        && before[before.length - 1 - after] == bytes[bytes.length - 1 - after]) {
      after++;
    }
    int changed = bytes.length - same - after;
    if (before.length != bytes.length || changed > MOST_CHANGED) {
      return new byte[0];
    }
    byte[] near = new byte[1 + changed];
    near[0] = (byte) (after << HALF_A_BYTE | changed);
    System.arraycopy(bytes, same, near, 1, changed);
    return near;
  }

  /** Decodes bytes that {@link #near(byte[], byte[])} has encoded. */
  public static byte[] near(DataInputStream in, byte[] before) throws IOException {
    int lengths = in.readUnsignedByte();
    int changed = lengths & MOST_CHANGED;
    int same = before.length - changed - (lengths >> HALF_A_BYTE);
    if (same < 0) {
      throw new IllegalArgumentException(
          "lengths " + lengths + " do not fit into the " + before.length + " bytes before");
    }
    byte[] bytes = before.clone();
    in.readFully(bytes, same, changed);
    return bytes;
  }
}
