package io.ensemble.collection;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * A position as text: the last key that is done, and the cache and the slice to which it belongs.
 *
 * @param number of the cache
 * @param done every key up to this place is done
 * @param ended whether all keys are done
 */
record CollectionPosition(long number, CollectionSlice slice, KeyHash done, boolean ended) {

  private static final byte FORMAT = 1;
  private static final int SIZE = 2 + 2 * Long.BYTES + 3 * Integer.BYTES + KeyHash.BYTES;

  String text() {
    ByteBuffer bytes =
        ByteBuffer.allocate(SIZE)
            .put(FORMAT)
            .put((byte) (ended ? 1 : 0))
            .putLong(number)
            .putInt(slice.part())
            .putLong(slice.generation())
            .putInt(slice.range())
            .putInt(slice.ranges())
            .putLong(done.high())
            .putLong(done.low());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /**
   * @throws IllegalArgumentException if {@code text} is no position
   */
  static CollectionPosition of(String text) {
    byte[] array;
    try {
      array = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw malformed(text);
    }
    if (array.length != SIZE || array[0] != FORMAT || array[1] < 0 || array[1] > 1) {
      throw malformed(text);
    }
    ByteBuffer bytes = ByteBuffer.wrap(array, 2, SIZE - 2);
    long number = bytes.getLong();
    int part = bytes.getInt();
    CollectionSlice slice;
    try {
      slice = new CollectionSlice(part, bytes.getLong(), bytes.getInt(), bytes.getInt());
    } catch (IllegalArgumentException e) {
      throw malformed(text);
    }
    return new CollectionPosition(
        number, slice, new KeyHash(bytes.getLong(), bytes.getLong()), array[1] == 1);
  }

  private static IllegalArgumentException malformed(String text) {
    String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    return new IllegalArgumentException(
        "position must be one that an iteration returned; got '%s'".formatted(shown));
  }
}
