package io.ensemble.objects.record;

import java.util.Arrays;
import java.util.HexFormat;

/** Bytes as a value: equal if their content is equal. Owns its array, which must not be changed. */
public final class ByteString {

  /** No bytes. */
  public static final ByteString EMPTY = new ByteString(new byte[0]);

  private final byte[] array;

  private ByteString(byte[] array) {
    this.array = array;
  }

  /** Wraps {@code array}, which must not be changed any more. */
  public static ByteString of(byte[] array) {
    return new ByteString(array);
  }

  /** The array itself, which must not be changed. */
  public byte[] array() {
    return array;
  }

  /** The number of bytes. */
  public int size() {
    return array.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByteString byteString && Arrays.equals(array, byteString.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  @Override
  public String toString() {
    return array.length <= 16
        ? HexFormat.of().formatHex(array)
        : HexFormat.of().formatHex(array, 0, 16) + "... (" + array.length + " bytes)";
  }
}
