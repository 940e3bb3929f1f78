package io.ensemble.objects.sync.state;

import java.util.Arrays;

/**
 * An application value as bytes, so that a process that applies calls does not need its class.
 * Equal if the bytes are equal.
 *
 * @param bytes must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record EncodedValue(byte[] bytes) {

  @Override
  public boolean equals(Object other) {
    return other instanceof EncodedValue encodedValue && Arrays.equals(bytes, encodedValue.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
