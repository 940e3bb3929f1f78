package io.ensemble.site;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Bytes with value equality. The array is not copied: the caller that passes it must not change it.
 */
public final class Bytes {

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Wraps {@code array}, which must not change afterwards. */
  public static Bytes of(byte... array) {
    return new Bytes(array);
  }

  /** The wrapped array itself; do not change it. */
  public byte[] array() {
    return array;
  }

  /** The number of bytes. */
  public int size() {
    return array.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  @Override
  public String toString() {
    int shown = Math.min(array.length, 16);
    return HexFormat.of().formatHex(array, 0, shown) + (shown < array.length ? "…" : "");
  }
}
