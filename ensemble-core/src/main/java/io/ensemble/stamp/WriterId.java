package io.ensemble.stamp;

import java.util.HexFormat;

/**
 * One life of one writing process: 128 random bits, compared as unsigned numbers. {@link #NONE}
 * sorts below every other id, and no process uses it.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record WriterId(long high, long low) implements Comparable<WriterId> {

  /** Below every writer. */
  public static final WriterId NONE = new WriterId(0, 0);

  /** The next higher id; {@link #NONE} after the highest. */
  WriterId next() {
    return new WriterId(low == -1 ? high + 1 : high, low + 1);
  }

  @Override
  public int compareTo(WriterId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  /** Each response to a write has it, so it is not formatted by a pattern. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
