package io.ensemble.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * 64-bit hashes that never change: where data is depends on them. FNV-1a, and the last step of
 * MurmurHash3 to spread it over all bits. Not for secrets: whoever chooses keys can make them
 * collide, and load one part.
 */
public final class StableHash {

  private static final long OFFSET = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private StableHash() {}

  /** The hash of {@code bytes}. */
  public static long of(byte[] bytes) {
    long hash = OFFSET;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xff)) * PRIME;
    }
    return mixed(hash);
  }

  /** The hash of {@code text} in UTF-8. */
  public static long of(String text) {
    return of(text.getBytes(UTF_8));
  }

  /**
   * Rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
   * 1998): what {@code name} bids for the one whose hash is {@code key}. The highest bid, as an
   * unsigned number, gets it; so a further bidder takes its own share from all, and nothing else
   * changes hands.
   */
  public static long bid(long key, String name) {
    return bid(key, of(name));
  }

  /** As the other method, by the hash of the name. */
  static long bid(long key, long name) {
    return mixed(key ^ mixed(name));
  }

  /**
   * The index of the highest bid of {@code names}, given as hashes; the first one of equal ones.
   */
  static int highest(long key, List<Long> names) {
    int best = 0;
    for (int i = 1; i < names.size(); i++) {
      if (Long.compareUnsigned(bid(key, names.get(i)), bid(key, names.get(best))) > 0) {
        best = i;
      }
    }
    return best;
  }

  private static long mixed(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
