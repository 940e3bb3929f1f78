package io.ensemble.check.workload;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Numbers as bytes with padding, so that damage is detected. */
record PaddedValues(int longest) {

  byte[] write(long value) {
    SplittableRandom random = new SplittableRandom(value);
    byte[] padding = new byte[random.nextInt(longest + 1)];
    random.nextBytes(padding);
    return ByteBuffer.allocate(Long.BYTES + padding.length).putLong(value).put(padding).array();
  }

  long read(byte[] bytes) {
    long value = ByteBuffer.wrap(bytes).getLong();
    if (!Arrays.equals(bytes, write(value))) {
      throw new IllegalStateException("a damaged value: " + value + ", of bytes: " + bytes.length);
    }
    return value;
  }
}
