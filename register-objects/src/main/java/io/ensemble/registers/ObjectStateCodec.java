package io.ensemble.registers;

/**
 * States as bytes. Two states are the same if their bytes are. Thread-safe.
 *
 * @param <S> the states' type
 */
public interface ObjectStateCodec<S> {

  byte[] encode(S state);

  S decode(byte[] bytes);

  /** Bytes as they are. */
  static ObjectStateCodec<byte[]> bytes() {
    return new ObjectStateCodec<>() {
      @Override
      public byte[] encode(byte[] state) {
        return state;
      }

      @Override
      public byte[] decode(byte[] bytes) {
        return bytes;
      }
    };
  }
}
