package io.ensemble.heat;

import io.ensemble.codec.Codec;
import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.datasketches.hash.MurmurHash3;

/**
 * A key as sketches hold it: at most {@value #MOST_BYTES} bytes. A longer key becomes its first
 * bytes and a hash.
 */
final class SketchKey {

  /** The largest key in a sketch, in bytes. */
  static final int MOST_BYTES = 64;

  /** The first byte of a shortened key; no encoded key begins with it. */
  private static final byte SHORTENED = -1;

  private static final int HASH_BYTES = 16;
  private static final int PREFIX_BYTES = MOST_BYTES - HASH_BYTES - 1;
  private static final long SEED = 9001;

  private SketchKey() {}

  static Bytes of(Bytes key) {
    if (key.size() <= MOST_BYTES) {
      return key;
    }
    long[] hash = MurmurHash3.hash(key.array(), SEED);
    return Bytes.of(
        ByteBuffer.allocate(MOST_BYTES)
            .put(SHORTENED)
            .put(key.array(), 0, PREFIX_BYTES)
            .putLong(hash[0])
            .putLong(hash[1])
            .array());
  }

  /**
   * The key as text: a string as it is; {@code hmac:} and hexadecimal digits for a private cache;
   * {@code 0x} and the digits of the encoding for other types. A shortened key ends with {@code …}
   * and its hash.
   */
  static String text(Bytes key, boolean isHmac) {
    byte[] array = key.array();
    if (isHmac) {
      return "hmac:" + HexFormat.of().formatHex(array);
    }
    if (array.length == MOST_BYTES && array[0] == SHORTENED) {
      Bytes prefix = Bytes.of(Arrays.copyOfRange(array, 1, 1 + PREFIX_BYTES));
      return plainText(prefix)
          + "…"
          + HexFormat.of().formatHex(array, 1 + PREFIX_BYTES, array.length);
    }
    return plainText(key);
  }

  private static String plainText(Bytes key) {
    return Codec.isUtf8(key)
        ? new String(key.array(), 1, key.size() - 1, StandardCharsets.UTF_8)
        : "0x" + HexFormat.of().formatHex(key.array());
  }
}
