package io.ensemble.objects.sync.state;

import java.util.Arrays;

/**
 * A user's value as bytes: who applies calls need not have its class. Equal if the bytes are.
 *
 * @param bytes nobody changes them
 */
@SuppressWarnings("ArrayRecordComponent") // compared by what it contains
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
