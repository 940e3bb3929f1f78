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

  static Cursor of(String birth, String prefix) {
    return new Cursor(IdempotencyKey.name(birth, prefix));
  }

  private byte[] mark() {
    return ByteBuffer.allocate(MARK_BYTES).putLong(listing.getMostSignificantBits()).array();
  }

  String after(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] all = Arrays.copyOf(mark(), MARK_BYTES + bytes.length);
    System.arraycopy(bytes, 0, all, MARK_BYTES, bytes.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
  }

  /**
   * The key after which the next page begins.
   *
   * @throws io.ensemble.rest.http.ProblemException if the text is not a cursor, or belongs to
   *     another listing
   */
  String key(String cursor) {
    try {
      byte[] all = Base64.getUrlDecoder().decode(cursor);
      if (all.length > MARK_BYTES && Arrays.equals(mark(), Arrays.copyOf(all, MARK_BYTES))) {
        String key = new String(all, MARK_BYTES, all.length - MARK_BYTES, StandardCharsets.UTF_8);
        if (after(key).equals(cursor)) {
          return key;
        }
      }
    } catch (IllegalArgumentException e) {
      // Reported below like another listing's cursor.
    }
    throw Problem.invalid("cursor", "a cursor that a page of this listing returned", cursor);
  }
}
