package io.ensemble.cache.weak;

/** A set of 64-bit fingerprints in eight to sixteen bytes each. Not thread-safe. */
final class FingerprintSet {

  private long[] slots = new long[64];
  private int size;
  private boolean hasZero;

  /** Adds {@code value}; returns whether it is new. */
  boolean add(long value) {
    if (value == 0) {
      boolean added = !hasZero;
      hasZero = true;
      return added;
    }
    if (!insert(slots, value)) {
      return false;
    }
    if (++size * 4L > slots.length * 3L) {
      long[] larger = new long[slots.length * 2];
      for (long slot : slots) {
        if (slot != 0) {
          insert(larger, slot);
        }
      }
      slots = larger;
    }
    return true;
  }

  private static boolean insert(long[] slots, long value) {
    int at = (int) value & (slots.length - 1);
    while (slots[at] != 0) {
      if (slots[at] == value) {
        return false;
      }
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = value;
    return true;
  }
}
