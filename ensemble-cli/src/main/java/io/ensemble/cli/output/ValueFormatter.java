package io.ensemble.cli.output;

import io.ensemble.codec.TypedContent;
import java.util.HexFormat;

/** Values of any type as text. */
public final class ValueFormatter {

  private ValueFormatter() {}

  public static String text(Object value) {
    if (value instanceof TypedContent typed) {
      return text(typed.content().array());
    }
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
  }
}
