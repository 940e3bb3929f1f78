package io.ensemble.objects.value;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes being written. Numbers have variable length, as in Protocol Buffers. */
final class ValueOutput {

  private byte[] bytes = new byte[96];
  private int size;

  int size() {
    return size;
  }

  void octet(int value) {
    need(1);
    bytes[size++] = (byte) value;
  }

  /** Writes a number that is not negative, or any 64 bits. */
  void number(long value) {
    need(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Writes a number of either sign; short if near zero. */
  void signed(long value) {
    number((value << 1) ^ (value >> 63));
  }

  /** Adds {@code length} bytes, which the caller fills immediately. */
  ByteBuffer space(long length) {
    need(length);
    ByteBuffer space = ByteBuffer.wrap(bytes, size, (int) length);
    size += (int) length;
    return space;
  }

  void raw(byte[] value) {
    need(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
  }

  void block(byte[] value) {
    number(value.length);
    raw(value);
  }

  /** UTF-8, or UTF-16 if the text contains half a surrogate pair, which UTF-8 would lose. */
  void text(String value) {
    if (isWellFormed(value)) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      number((long) utf8.length << 1);
      raw(utf8);
    } else {
      number((long) value.length() << 1 | 1);
      space(2L * value.length()).asCharBuffer().put(value);
    }
  }

  private static boolean isWellFormed(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        if (i + 1 == value.length()
            || !Character.isSurrogatePair(value.charAt(i), value.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /** Removes and returns the bytes written after the first {@code from}. */
  byte[] cut(int from) {
    byte[] cut = Arrays.copyOfRange(bytes, from, size);
    size = from;
    return cut;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  private void need(long more) {
    if (size + more > bytes.length) {
      if (size + more > Integer.MAX_VALUE - 8) {
        throw new ValueWriteException("it takes more than 2 GB");
      }
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, 2 * (size + more)));
    }
  }
}
