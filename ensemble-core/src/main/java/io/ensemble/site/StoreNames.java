package io.ensemble.site;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The accepted names of stores. An empty name, a tab or a newline must never reach a server.
 * Creation fails there half-way and leaves state behind that keeps every later node from joining,
 * until all nodes of the site have stopped (Infinispan 16.0.7).
 */
public final class StoreNames {

  private static final int LONGEST_BYTES = 255;

  private StoreNames() {}

  /**
   * Accepts a name that every site takes.
   *
   * @throws IllegalArgumentException for any other; the message says what is wrong with it
   */
  public static void check(String name) {
    String wrong = null;
    if (name.isBlank()) {
      wrong = "a blank name";
    } else if (name.codePoints().anyMatch(c -> Character.isISOControl(c) || isUnpaired(c))) {
      wrong = "a control character";
    } else if (name.indexOf('*') >= 0 || name.indexOf('?') >= 0) {
      wrong = "a wildcard";
    } else if (name.getBytes(UTF_8).length > LONGEST_BYTES) {
      wrong = name.getBytes(UTF_8).length + " bytes";
    }
    if (wrong != null) {
      String shown = name.replaceAll("[^\\p{Graph} ]", "?");
      throw new IllegalArgumentException(
          ("store name must have 1 to %d bytes of UTF-8 without control characters, '*' and '?'; "
                  + "got %s in '%s'")
              .formatted(LONGEST_BYTES, wrong, shown.substring(0, Math.min(80, shown.length()))));
    }
  }

  private static boolean isUnpaired(int codePoint) {
    return Character.getType(codePoint) == Character.SURROGATE
        || Character.getType(codePoint) == Character.LINE_SEPARATOR
        || Character.getType(codePoint) == Character.PARAGRAPH_SEPARATOR;
  }
}
