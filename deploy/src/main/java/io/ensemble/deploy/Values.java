package io.ensemble.deploy;

import java.util.HexFormat;

/** Values of any type as text. */
final class Values {

  private Values() {}

  static String text(Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
  }
}
