package io.ensemble.rest.resource.entry;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.resource.context.IdempotencyKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/**
 * Where a page of a listing ended, as a text that any service takes, of the same listing only.
 *
 * @param listing what it is of: which cache, of which birth, with which prefix
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
   * @throws io.ensemble.rest.http.ProblemException if it is no cursor, or another listing's
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
      // Told below: it is none of ours either way.
    }
    throw Problem.invalid("cursor", "the cursor of a page of this listing", cursor);
  }
}
