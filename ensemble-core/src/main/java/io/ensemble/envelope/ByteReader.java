package io.ensemble.envelope;

import io.ensemble.site.Bytes;
import java.util.Arrays;

/** Reads the output of {@link ByteWriter}, and reports where bytes are missing. */
public final class ByteReader {

  private final byte[] buffer;
  private int position;

  public ByteReader(Bytes bytes) {
    buffer = bytes.array();
  }

  public int oneByte() {
    need(1);
    return buffer[position++] & 0xff;
  }

  public long eightBytes() {
    need(8);
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | (buffer[position++] & 0xff);
    }
    return value;
  }

  public long variable() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = oneByte();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new MalformedEnvelopeException("a number of at most ten bytes; at=" + position);
  }

  public Bytes sized() {
    long length = variable();
    if (length < 0 || length > buffer.length - position) {
      throw new MalformedEnvelopeException(
          "a length within the remaining bytes; "
              + "length="
              + length
              + " left="
              + (buffer.length - position));
    }
    return take((int) length);
  }

  public Bytes rest() {
    return take(buffer.length - position);
  }

  private Bytes take(int length) {
    position += length;
    return Bytes.of(Arrays.copyOfRange(buffer, position - length, position));
  }

  private void need(int count) {
    if (buffer.length - position < count) {
      throw new MalformedEnvelopeException(
          "more bytes were expected; size=" + buffer.length + " at=" + position);
    }
  }
}
