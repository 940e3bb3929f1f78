package io.ensemble.registers;

import io.ensemble.registers.StateOperation.Effect;
import java.nio.ByteBuffer;

/** A number that is counted up, as the state of an object. */
public final class SharedCount {

  /** A count is eight bytes. */
  public static final ObjectStateCodec<Long> CODEC =
      new ObjectStateCodec<>() {
        @Override
        public byte[] encode(Long count) {
          return ByteBuffer.allocate(Long.BYTES).putLong(count).array();
        }

        @Override
        public Long decode(byte[] bytes) {
          return ByteBuffer.wrap(bytes).getLong();
        }
      };

  /** Returns the new count. */
  public static final StateOperation<Long, Long> INCREMENT =
      count -> new Effect<>(count + 1, count + 1);

  private SharedCount() {}
}
