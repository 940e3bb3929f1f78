package io.ensemble.codec;

import io.ensemble.site.Bytes;

/**
 * Bytes and their media type, as one value: content that arrived over REST as something other than
 * text or plain bytes. Every process can read and write it without a schema.
 *
 * @param type as received, 1 to {@value #LONGEST_TYPE} printable ASCII characters
 * @param content the bytes, unchanged
 */
public record TypedContent(String type, Bytes content) {

  /** The maximum length of a media type. */
  public static final int LONGEST_TYPE = 255;

  /**
   * @throws IllegalArgumentException if the type is not a possible media type
   */
  public TypedContent {
    if (type.isEmpty()
        || type.length() > LONGEST_TYPE
        || type.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "media type must be 1 to %d printable ASCII characters; length=%d"
              .formatted(LONGEST_TYPE, type.length()));
    }
  }
}
