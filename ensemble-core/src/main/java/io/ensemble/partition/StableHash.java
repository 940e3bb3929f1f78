package io.ensemble.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * 64-bit hashes that never change, because the location of data depends on them. FNV-1a, and the
 * last step of MurmurHash3 to spread it over all bits. Not for secrets: a client that chooses its
 * keys can make them collide, and load one part.
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
   * 1998): the bid of {@code name} for the key with the hash {@code key}. The highest bid, as an
   * unsigned number, wins. So a new bidder takes its own share from all others, and no other key
   * moves.
   */
  public static long bid(long key, String name) {
    return bid(key, of(name));
  }

  /** The bid of the name with the hash {@code name}. */
  static long bid(long key, long name) {
    return mixed(key ^ mixed(name));
  }

  /**
   * The index of the highest bid of {@code names}, given as hashes; the first one of equal bids.
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
