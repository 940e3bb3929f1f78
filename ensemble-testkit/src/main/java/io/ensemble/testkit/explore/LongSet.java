package io.ensemble.testkit.explore;

/** A growing set of 64-bit fingerprints. */
final class LongSet {

  private long[] slots = new long[1 << 16];
  private int size;

  /** Adds a fingerprint; false when it was there. */
  boolean add(long fingerprint) {
    long value = fingerprint == 0 ? 1 : fingerprint;
    if (size * 2L >= slots.length) {
      grow();
    }
    if (!insert(value)) {
      return false;
    }
    size++;
    return true;
  }

  int size() {
    return size;
  }

  private boolean insert(long value) {
    int mask = slots.length - 1;
    int slot = (int) mix(value) & mask;
    while (slots[slot] != 0) {
      if (slots[slot] == value) {
        return false;
      }
      slot = (slot + 1) & mask;
    }
    slots[slot] = value;
    return true;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[Math.multiplyExact(old.length, 2)];
    for (long value : old) {
      if (value != 0) {
        insert(value);
      }
    }
  }

  /** Spreads the bits of a number over all 64 (Steele, Lea and Flood, SplitMix, 2014). */
  static long mix(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
