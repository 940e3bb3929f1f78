package io.ensemble.cache.listen;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A position of a stream of a distributed cache.
 *
 * @param cache a number of the cache, different for another cache of the same name
 * @param generation the number of the assignment of keys to parts
 * @param parts the positions of the streams of the parts, in the order of the parts
 */
public record PartedPosition(long cache, long generation, List<String> parts) {

  private static final String FORMAT = "P1";

  /** Separates the parts; positions of caches that are not distributed have none. */
  private static final char SEPARATOR = '.';

  private static final String NESTED = "~";

  public PartedPosition {
    parts = List.copyOf(parts);
  }

  /** The position as text, in characters that are safe in a URL and in a header. */
  public String toText() {
    StringBuilder text =
        new StringBuilder(FORMAT)
            .append(SEPARATOR)
            .append(Long.toHexString(cache))
            .append(SEPARATOR)
            .append(generation);
    for (String part : parts) {
      text.append(SEPARATOR).append(part.indexOf(SEPARATOR) < 0 ? part : NESTED + encoded(part));
    }
    return text.toString();
  }

  private static String encoded(String part) {
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * The position that {@link #toText} has written.
   *
   * @throws IllegalArgumentException if the text is not one
   */
  public static PartedPosition parse(String text) {
    String[] elements = text.split("\\.", -1);
    if (elements.length < 4 || !elements[0].equals(FORMAT)) {
      throw new IllegalArgumentException(
          "malformed position; expected one of a stream of this distributed cache");
    }
    try {
      List<String> parts = new ArrayList<>();
      for (String part : List.of(elements).subList(3, elements.length)) {
        parts.add(
            part.startsWith(NESTED)
                ? new String(
                    Base64.getUrlDecoder().decode(part.substring(1)), StandardCharsets.UTF_8)
                : part);
      }
      return new PartedPosition(
          Long.parseUnsignedLong(elements[1], 16), Long.parseLong(elements[2]), parts);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "malformed position; expected one of a stream of this distributed cache", malformed);
    }
  }
}
