package io.ensemble.heat;

import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import org.apache.datasketches.common.ArrayOfItemsSerDe;
import org.apache.datasketches.memory.Memory;

/** The keys of a sketch as bytes: each with its length, one byte. */
final class KeySerializer extends ArrayOfItemsSerDe<Bytes> {

  @Override
  public byte[] serializeToByteArray(Bytes key) {
    return serializeToByteArray(new Bytes[] {key});
  }

  @Override
  public byte[] serializeToByteArray(Bytes[] keys) {
    int size = 0;
    for (Bytes key : keys) {
      size += sizeOf(key);
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    for (Bytes key : keys) {
      out.put((byte) key.size()).put(key.array());
    }
    return out.array();
  }

  @Override
  public Bytes[] deserializeFromMemory(Memory memory, long offset, int count) {
    byte[] all = new byte[(int) (memory.getCapacity() - offset)];
    memory.getByteArray(offset, all, 0, all.length);
    ByteBuffer in = ByteBuffer.wrap(all); // Checks bounds, which the library's memory does not.
    Bytes[] keys = new Bytes[count];
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[checked(in.get())];
      in.get(key);
      keys[i] = Bytes.of(key);
    }
    return keys;
  }

  private static int checked(byte length) {
    if (length < 0 || length > SketchKey.MOST_BYTES) {
      throw new IllegalArgumentException(
          "a key of a sketch has at most %d bytes; got %d"
              .formatted(SketchKey.MOST_BYTES, length & 0xff));
    }
    return length;
  }

  @Override
  public int sizeOf(Bytes key) {
    return 1 + key.size();
  }

  @Override
  public int sizeOf(Memory memory, long offset, int count) {
    int size = 0;
    for (Bytes key : deserializeFromMemory(memory, offset, count)) {
      size += sizeOf(key);
    }
    return size;
  }

  @Override
  public String toString(Bytes key) {
    return key.toString();
  }

  @Override
  public Class<Bytes> getClassOfT() {
    return Bytes.class;
  }
}
