package io.ensemble.explore;

import io.ensemble.register.RegisterDigest;

/** A growing set of 64-bit fingerprints. */
public final class LongSet {

  private long[] slots = new long[1 << 16];
  private int size;

  /** Adds a fingerprint; returns false if the set contained it. */
  public boolean add(long fingerprint) {
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

  public int size() {
    return size;
  }

  private boolean insert(long value) {
    int mask = slots.length - 1;
    int slot = (int) RegisterDigest.mix(value) & mask;
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
}
