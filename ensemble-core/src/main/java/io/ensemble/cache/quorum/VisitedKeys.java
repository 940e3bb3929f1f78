package io.ensemble.cache.quorum;

import io.ensemble.register.RegisterDigest;
import io.ensemble.site.Bytes;

/**
 * The keys that a scan has returned, each as a fingerprint of 128 bits: 22 to 43 bytes a key,
 * however long the key. Two keys may have the same fingerprint, and one of them be left out. Such a
 * collision happens less than once in 10<sup>20</sup> scans of a hundred million keys. Not
 * thread-safe.
 */
public final class VisitedKeys {

  private final long seed;
  private final int mostKeys;
  private long[] slots = new long[128];
  private int size;

  /**
   * @param seed secret, so that no user can choose keys with equal fingerprints
   */
  public VisitedKeys(long seed) {
    this(seed, Integer.MAX_VALUE);
  }

  /**
   * As the other constructor, with a bound.
   *
   * @param mostKeys how many keys are recorded at most; further keys are not added
   */
  public VisitedKeys(long seed, int mostKeys) {
    this.seed = seed;
    this.mostKeys = mostKeys;
  }

  /** Whether the bound is reached, so that a key that is not contained may have been visited. */
  public boolean isFull() {
    return size >= mostKeys;
  }

  /** Whether the key was added. */
  public boolean contains(Bytes key) {
    long high = hash(key, seed) | 1; // zero marks a free slot
    return slots[findSlot(slots, high, hash(key, ~seed))] != 0;
  }

  /** Adds the key, unless the bound is reached. */
  public void add(Bytes key) {
    if (!isFull()
        && put(slots, hash(key, seed) | 1, hash(key, ~seed))
        && ++size * 8L > slots.length * 3L) {
      grow();
    }
  }

  int size() {
    return size;
  }

  /** The size in bytes. */
  long bytes() {
    return 8L * slots.length;
  }

  private void grow() {
    long[] largerSlots = new long[Math.multiplyExact(slots.length, 2)];
    for (int slot = 0; slot < slots.length; slot += 2) {
      if (slots[slot] != 0) {
        put(largerSlots, slots[slot], slots[slot + 1]);
      }
    }
    slots = largerSlots;
  }

  /** Adds a fingerprint; returns whether it is new. */
  private static boolean put(long[] slots, long high, long low) {
    int slot = findSlot(slots, high, low);
    if (slots[slot] != 0) {
      return false;
    }
    slots[slot] = high;
    slots[slot + 1] = low;
    return true;
  }

  /** The slot of a fingerprint, or the free slot for it: pairs, probed one after the other. */
  private static int findSlot(long[] slots, long high, long low) {
    int mask = slots.length - 2;
    int slot = (int) low & mask;
    while (slots[slot] != 0 && (slots[slot] != high || slots[slot + 1] != low)) {
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  private static long hash(Bytes key, long seed) {
    byte[] bytes = key.array();
    long hash = RegisterDigest.mix(seed + bytes.length);
    long word = 0;
    for (int i = 0; i < bytes.length; i++) {
      word = word << 8 | (bytes[i] & 0xff);
      if ((i & 7) == 7) {
        hash = RegisterDigest.of(hash, word);
        word = 0;
      }
    }
    return RegisterDigest.of(hash, word);
  }
}
