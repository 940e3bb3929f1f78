package io.ensemble.tree.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.tree.TreePath;
import java.util.Arrays;

/** Bytes being read. Throws {@link IllegalArgumentException} for bytes that are damaged. */
final class TreeInput {

  private static final int MORE = 0x80;
  private static final int SEVEN = 7;

  private final byte[] bytes;
  private int position;
  private String before = "";

  TreeInput(byte[] bytes) {
    this.bytes = bytes;
  }

  int octet() {
    if (position == bytes.length) {
      throw new IllegalArgumentException("the bytes end too early");
    }
    return bytes[position++] & (2 * MORE - 1);
  }

  long number() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += SEVEN) {
      int octet = octet();
      value |= (long) (octet & (MORE - 1)) << shift;
      if (octet < MORE) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }

  long signed() {
    long read = number();
    return read >>> 1 ^ -(read & 1);
  }

  /** A number of elements of at least one byte each, or of bytes. */
  int count() {
    long count = number();
    if (count < 0 || count > bytes.length - position) {
      throw new IllegalArgumentException(
          "a count of %d in %d bytes".formatted(count, bytes.length - position));
    }
    return (int) count;
  }

  int index(int end) {
    long index = number();
    if (index < 0 || index >= end) {
      throw new IllegalArgumentException("number %d of %d".formatted(index, end));
    }
    return (int) index;
  }

  byte[] block() {
    int length = count();
    byte[] block = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return block;
  }

  String text() {
    return new String(block(), UTF_8);
  }

  TreePath path() {
    int same = index(before.length() + 1);
    before = before.substring(0, same) + text();
    return TreePath.decoded(before);
  }

  void end() {
    if (position < bytes.length) {
      throw new IllegalArgumentException((bytes.length - position) + " bytes are left over");
    }
  }
}
