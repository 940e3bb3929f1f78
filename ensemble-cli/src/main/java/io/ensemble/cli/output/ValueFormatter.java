package io.ensemble.cli.output;

import io.ensemble.codec.TypedContent;
import java.util.HexFormat;

/** Values of any type as text. */
public final class ValueFormatter {

  private ValueFormatter() {}

  /** The text in one line: control characters become escapes, such as {@code \n}. */
  public static String line(Object value) {
    StringBuilder line = new StringBuilder();
    text(value)
        .chars()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                line.append(c == '\n' ? "\\n" : "\\u%04x".formatted(c));
              } else {
                line.append((char) c);
              }
            });
    return line.toString();
  }

  public static String text(Object value) {
    if (value instanceof TypedContent typed) {
      return text(typed.content().array());
    }
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
  }
}
