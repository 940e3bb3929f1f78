package io.ensemble.codec;

import io.ensemble.site.Bytes;

/**
 * Bytes and the media type that they are of, as one value: what came over REST as something else
 * than text or plain bytes. Every process can read and write it, without a schema.
 *
 * @param type as it came, 1 to {@value #LONGEST_TYPE} printable characters of ASCII
 * @param content the bytes, unchanged
 */
public record TypedContent(String type, Bytes content) {

  /** The longest media type. */
  public static final int LONGEST_TYPE = 255;

  /**
   * @throws IllegalArgumentException if the type cannot be one
   */
  public TypedContent {
    if (type.isEmpty()
        || type.length() > LONGEST_TYPE
        || type.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "a media type is 1 to %d printable characters of ASCII; length=%d"
              .formatted(LONGEST_TYPE, type.length()));
    }
  }
}
