package io.ensemble.testkit.truth;

import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;

/**
 * A value of a chain: each is written by one compare-and-set on the one before it.
 *
 * @param id of the attempt that wrote it, never 0
 * @param predecessor the id of the value that it replaces; 0 for the first
 * @param depth the number of values before it
 */
record ChainValue(long id, long predecessor, int depth) {

  ChainValue after(long nextId) {
    return new ChainValue(nextId, id, depth + 1);
  }

  Bytes encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES * 2 + Integer.BYTES);
    return Bytes.of(buffer.putLong(id).putLong(predecessor).putInt(depth).array());
  }

  static ChainValue decoded(byte[] value) {
    ByteBuffer buffer = ByteBuffer.wrap(value);
    return new ChainValue(buffer.getLong(), buffer.getLong(), buffer.getInt());
  }
}
