package io.ensemble.cache.weak.entry;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;

/** 64-bit summaries of keys and entries; not secure against deliberate collisions. */
public final class EntryFingerprint {

  private EntryFingerprint() {}

  public static long of(Bytes key, long seed) {
    long hash = mix(seed ^ 0x9e3779b97f4a7c15L);
    long word = 0;
    int filled = 0;
    for (byte next : key.array()) {
      word = word << 8 | (next & 0xff);
      if (++filled == 8) {
        hash = mix(hash ^ word) + 0x9e3779b97f4a7c15L;
        word = 0;
        filled = 0;
      }
    }
    return mix(mix(hash ^ word) + key.size());
  }

  /** The fingerprint of a key with one stamp. */
  public static long of(long key, Stamp stamp) {
    long hash = mix(key ^ stamp.micros());
    hash = mix(hash + stamp.writer().high());
    return mix(hash + stamp.writer().low());
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 32) * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    return mixed ^ mixed >>> 32;
  }
}
