package io.ensemble.cache.swmr.copy;

import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The keys in a store of an SWMR cache. The record of its terms has a key of one byte; those of
 * later {@link io.ensemble.primary.VoterSet voter sets} have their number behind that byte. Each
 * copy has its user's key behind another byte. So no user's key equals a record's.
 */
public final class SwmrKeyLayout {

  public static final Bytes RECORD = Bytes.of((byte) 0);
  private static final byte COPY = 1;

  private SwmrKeyLayout() {}

  /** The key of the record of the terms of voter set {@code number}. */
  public static Bytes record(long number) {
    return number == 1
        ? RECORD
        : Bytes.of(ByteBuffer.allocate(1 + Long.BYTES).put((byte) 0).putLong(number).array());
  }

  static Bytes toCopyKey(Bytes key) {
    byte[] userKey = key.array();
    byte[] stored = new byte[userKey.length + 1];
    stored[0] = COPY;
    System.arraycopy(userKey, 0, stored, 1, userKey.length);
    return Bytes.of(stored);
  }

  static boolean isCopyKey(Bytes stored) {
    return stored.size() > 0 && stored.array()[0] == COPY;
  }

  static Bytes toUserKey(Bytes stored) {
    return Bytes.of(Arrays.copyOfRange(stored.array(), 1, stored.size()));
  }
}
