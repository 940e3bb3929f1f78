package io.ensemble;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The rules for names of caches and sites. */
public final class NameRules {

  /** The longest name, in bytes of UTF-8. */
  public static final int MOST_BYTES = 128;

  private NameRules() {}

  /**
   * Checks a name.
   *
   * @param what the kind of name, for the message
   * @throws IllegalArgumentException saying what is wrong with {@code name}
   */
  public static void check(String what, String name) {
    Objects.requireNonNull(name, what);
    require(!name.isBlank(), "a " + what + " must not be blank; name=\"" + printable(name) + "\"");
    require(
        name.codePoints().noneMatch(NameRules::endsOrControls),
        "a "
            + what
            + " must not contain control characters or line ends; "
            + "name=\""
            + printable(name)
            + "\"");
    int bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "a " + what + " must not contain unpaired surrogates; name=\"" + printable(name) + "\"",
          e);
    }
    require(
        bytes <= MOST_BYTES,
        "a %s has at most %d bytes of UTF-8; bytes=%d name=\"%s\""
            .formatted(what, MOST_BYTES, bytes, printable(name)));
  }

  private static boolean endsOrControls(int codePoint) {
    int type = Character.getType(codePoint);
    return type == Character.CONTROL
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  private static String printable(String name) {
    String shown = name.length() > 40 ? name.substring(0, 40) + "…" : name;
    return shown.replaceAll("[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
