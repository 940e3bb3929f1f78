package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * The names of files as keys. One that is UTF-8 is its own key. Another, or one that begins with a
 * quotation mark, becomes what git shows of it: in quotation marks, backslashes before those and
 * before backslashes, and bytes beyond ASCII as three octal digits. So no two names are one key.
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
