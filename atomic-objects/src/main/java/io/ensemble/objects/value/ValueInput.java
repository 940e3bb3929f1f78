package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Bytes being read. Every length is checked against the remaining bytes before any allocation.
 * Every element takes at least one byte, so the number of all elements is at most the number of
 * bytes: this bounds the size that nested containers can claim.
 */
final class ValueInput {

  private final byte[] bytes;
  private int position;
  private long claimed;

  ValueInput(byte[] bytes) {
    this.bytes = bytes;
  }

  int left() {
    return bytes.length - position;
  }

  int octet() {
    if (position == bytes.length) {
      throw damaged("the bytes end too early");
    }
    return bytes[position++] & 0xFF;
  }

  long number() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int octet = octet();
      value |= (octet & 0x7FL) << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    throw damaged("a number of more than 64 bits");
  }

  long signed() {
    long number = number();
    return (number >>> 1) ^ -(number & 1);
  }

  int signedInt() {
    long number = signed();
    if (number != (int) number) {
      throw damaged("a number of more than 32 bits");
    }
    return (int) number;
  }

  /** A number from 0 up to, not including, {@code end}. */
  int index(int end) {
    long number = number();
    if (number < 0 || number >= end) {
      throw damaged("number " + number + " of " + end);
    }
    return (int) number;
  }

  /** The number of values that follow, for which the caller allocates memory. */
  int count() {
    long count = number();
    if (count < 0 || count > left()) {
      throw damaged(count + " elements in " + left() + " bytes");
    }
    claimed += count;
    if (claimed > bytes.length) {
      throw damaged(claimed + " elements in all, in " + bytes.length + " bytes");
    }
    return (int) count;
  }

  /** The next {@code count} bytes. */
  ByteBuffer exactly(int count) {
    return take(count, 1);
  }

  /** Reads a number, then that number of bytes times {@code unit}. */
  ByteBuffer block(int unit) {
    return take(number(), unit);
  }

  byte[] block() {
    ByteBuffer block = block(1);
    byte[] copy = new byte[block.remaining()];
    block.get(copy);
    return copy;
  }

  String text() {
    long head = number();
    boolean wide = (head & 1) != 0;
    ByteBuffer block = take(head >>> 1, wide ? 2 : 1);
    return wide
        ? block.asCharBuffer().toString()
        : new String(bytes, block.position(), block.remaining(), StandardCharsets.UTF_8);
  }

  private ByteBuffer take(long count, int unit) {
    if (count < 0 || count > left() / unit) {
      throw damaged(count + " times " + unit + " bytes in " + left());
    }
    ByteBuffer taken = ByteBuffer.wrap(bytes, position, (int) count * unit);
    position += (int) count * unit;
    return taken;
  }

  UnreadableException damaged(String what) {
    return damaged(what, null);
  }

  UnreadableException damaged(String what, @Nullable Throwable cause) {
    return new UnreadableException(what + "; at byte " + position + " of " + bytes.length, cause);
  }
}
