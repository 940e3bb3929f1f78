package io.ensemble.cache.weak;

/** A set of 64-bit fingerprints in eight to sixteen bytes each. Not thread-safe. */
final class FingerprintSet {

  private long[] slots = new long[64];
  private int size;
  private boolean hasZero;

  /** Adds {@code value}; returns whether it is new. */
  boolean add(long value) {
    if (value == 0) {
      boolean isAdded = !hasZero;
      hasZero = true;
      return isAdded;
    }
    if (!insert(slots, value)) {
      return false;
    }
    if (++size * 4L > slots.length * 3L) {
      long[] largerSlots = new long[slots.length * 2];
      for (long slot : slots) {
        if (slot != 0) {
          insert(largerSlots, slot);
        }
      }
      slots = largerSlots;
    }
    return true;
  }

  private static boolean insert(long[] slots, long value) {
    int index = (int) value & (slots.length - 1);
    while (slots[index] != 0) {
      if (slots[index] == value) {
        return false;
      }
      index = (index + 1) & (slots.length - 1);
    }
    slots[index] = value;
    return true;
  }
}
