package io.ensemble.rest.resource.entry;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.resource.context.IdempotencyKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/**
 * The end of a page of a listing, as a text. Any service accepts the cursor, for the same listing
 * only.
 *
 * @param listing identifies the listing: the cache, its birth, and the prefix
 */
record Cursor(UUID listing) {

  private static final int MARK_BYTES = Long.BYTES;

  static Cursor of(String cacheId, String prefix) {
    return new Cursor(IdempotencyKey.name(cacheId, prefix));
  }

  private byte[] encodeListing() {
    return ByteBuffer.allocate(MARK_BYTES).putLong(listing.getMostSignificantBits()).array();
  }

  String encodeAfter(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] encoded = Arrays.copyOf(encodeListing(), MARK_BYTES + bytes.length);
    System.arraycopy(bytes, 0, encoded, MARK_BYTES, bytes.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(encoded);
  }

  /**
   * The key after which the next page begins.
   *
   * @throws io.ensemble.rest.http.ProblemException if the text is not a cursor, or belongs to
   *     another listing
   */
  String decodeKey(String cursor) {
    try {
      byte[] encoded = Base64.getUrlDecoder().decode(cursor);
      if (encoded.length > MARK_BYTES
          && Arrays.equals(encodeListing(), Arrays.copyOf(encoded, MARK_BYTES))) {
        String key =
            new String(encoded, MARK_BYTES, encoded.length - MARK_BYTES, StandardCharsets.UTF_8);
        if (encodeAfter(key).equals(cursor)) {
          return key;
        }
      }
    } catch (IllegalArgumentException e) {
      // Reported below like another listing's cursor.
    }
    throw Problem.invalid("cursor", "a cursor that a page of this listing returned", cursor);
  }
}
