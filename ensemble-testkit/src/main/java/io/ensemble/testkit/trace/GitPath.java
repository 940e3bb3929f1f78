package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * Converts the names of files to keys. A name in UTF-8 is its own key. Any other name, or a name
 * that begins with a quotation mark, becomes the form that git shows. It is in quotation marks,
 * with backslashes before quotation marks and backslashes, and with bytes beyond ASCII as three
 * octal digits. So two names never become the same key.
 */
final class GitPath {

  private static final int ASCII = 0x80;

  private GitPath() {}

  static String key(byte[] name) {
    if (name.length == 0 || name[0] != '"') {
      try {
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
      } catch (CharacterCodingException e) {
        return quoted(name);
      }
    }
    return quoted(name);
  }

  private static String quoted(byte[] name) {
    StringBuilder key = new StringBuilder("\"");
    for (byte each : name) {
      int unsigned = each & 0xFF;
      if (unsigned >= ASCII) {
        key.append("\\%03o".formatted(unsigned));
      } else {
        key.append(unsigned == '"' || unsigned == '\\' ? "\\" : "").append((char) unsigned);
      }
    }
    return key.append('"').toString();
  }
}
