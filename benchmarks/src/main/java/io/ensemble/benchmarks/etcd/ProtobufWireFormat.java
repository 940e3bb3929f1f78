package io.ensemble.benchmarks.etcd;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** The encoding of protocol buffers: numbers of variable length, and bytes, each with its field. */
final class ProtobufWireFormat {

  private static final int NUMBER = 0;
  private static final int EIGHT_BYTES = 1;
  private static final int BYTES = 2;
  private static final int FOUR_BYTES = 5;

  private ProtobufWireFormat() {}

  /** Makes a message. */
  static final class Writer {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Zero is the default of a reader, so it is left out. */
    Writer number(int field, long value) {
      if (value != 0) {
        varint((long) field << 3 | NUMBER);
        varint(value);
      }
      return this;
    }

    Writer bytes(int field, byte[] value) {
      if (value.length > 0) {
        varint((long) field << 3 | BYTES);
        varint(value.length);
        out.writeBytes(value);
      }
      return this;
    }

    private void varint(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        out.write((int) (rest & 0x7F | 0x80));
        rest >>>= 7;
      }
      out.write((int) rest);
    }

    byte[] message() {
      return out.toByteArray();
    }
  }

  /** Receives the fields of a message, in their order. */
  interface Fields {
    default void number(int field, long value) {}

    default void bytes(int field, ByteBuffer value) {}
  }

  static void read(ByteBuffer message, Fields fields) {
    while (message.hasRemaining()) {
      long tag = varint(message);
      int field = (int) (tag >>> 3);
      switch ((int) (tag & 7)) {
        case NUMBER -> fields.number(field, varint(message));
        case BYTES -> {
          int length = Math.toIntExact(varint(message));
          fields.bytes(field, message.slice(message.position(), length));
          message.position(message.position() + length);
        }
        case EIGHT_BYTES -> message.position(message.position() + Long.BYTES);
        case FOUR_BYTES -> message.position(message.position() + Integer.BYTES);
        default -> throw new IllegalArgumentException("no such kind of field: " + (tag & 7));
      }
    }
  }

  private static long varint(ByteBuffer message) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = message.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than ten bytes");
  }
}
