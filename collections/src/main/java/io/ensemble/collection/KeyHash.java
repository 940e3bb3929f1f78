package io.ensemble.collection;

import io.ensemble.site.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The place of a key in the order of an iteration: the first 128 bits of the SHA-256 hash of its
 * encoded form, as an unsigned number. Never changes, because positions outlive processes. Two keys
 * of a cache with the same place, of which an iteration would return one, are not to be expected,
 * even if an adversary chooses them.
 */
record KeyHash(long high, long low) implements Comparable<KeyHash> {

  static final int BYTES = 2 * Long.BYTES;

  /** Below every key but one of 2<sup>128</sup>. */
  static final KeyHash LOWEST = new KeyHash(0, 0);

  /** Above every key but one of 2<sup>128</sup>. */
  static final KeyHash HIGHEST = new KeyHash(-1, -1);

  /** Computes hashes. Not thread-safe. */
  static final class Hasher {

    private final MessageDigest digest;

    Hasher() {
      try {
        digest = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError("every Java platform has SHA-256", e);
      }
    }

    KeyHash of(Bytes key) {
      byte[] hash = digest.digest(key.array());
      return new KeyHash(number(hash, 0), number(hash, Long.BYTES));
    }

    private static long number(byte[] hash, int from) {
      long number = 0;
      for (int i = from; i < from + Long.BYTES; i++) {
        number = number << 8 | (hash[i] & 0xff);
      }
      return number;
    }
  }

  /** The index of the range that contains this hash, of {@code ranges} equal ones. */
  int range(int ranges) {
    return (int) ((high >>> 32) * ranges >>> 32);
  }

  /** How far this hash is in range {@code index} of {@code ranges}, from 0 to 1. */
  double fraction(int index, int ranges) {
    double ofAll = (high >>> 11) * 0x1p-53;
    return Math.min(1, Math.max(0, ofAll * ranges - index));
  }

  @Override
  public int compareTo(KeyHash other) {
    int first = Long.compareUnsigned(high, other.high);
    return first != 0 ? first : Long.compareUnsigned(low, other.low);
  }
}
