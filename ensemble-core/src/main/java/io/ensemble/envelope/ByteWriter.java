package io.ensemble.envelope;

import io.ensemble.site.Bytes;
import java.util.Arrays;

/** Writes numbers and bytes into a growing array. */
public final class ByteWriter {

  private byte[] buffer;
  private int size;

  public ByteWriter(int capacity) {
    buffer = new byte[Math.max(capacity, 16)];
  }

  public void oneByte(int value) {
    room(1);
    buffer[size++] = (byte) value;
  }

  public void eightBytes(long value) {
    room(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      buffer[size++] = (byte) (value >>> shift);
    }
  }

  /** Seven bits a byte, lowest first; small numbers are short. */
  public void variable(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[size++] = (byte) rest;
  }

  public void bytes(byte[] value) {
    room(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
  }

  public void sized(Bytes value) {
    variable(value.size());
    bytes(value.array());
  }

  public Bytes toBytes() {
    return Bytes.of(size == buffer.length ? buffer : Arrays.copyOf(buffer, size));
  }

  private void room(int more) {
    if (size + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
    }
  }
}
