package io.ensemble.tree.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.tree.TreePath;
import java.io.ByteArrayOutputStream;

/** Bytes being written; numbers take seven bits a byte, and paths begin as the one before. */
final class TreeOutput {

  private static final int MORE = 0x80;
  private static final int SEVEN = 7;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private String before = "";

  void octet(int value) {
    bytes.write(value);
  }

  void number(long value) {
    long left = value;
    while ((left & -MORE) != 0) {
      bytes.write((int) (left & (MORE - 1) | MORE));
      left >>>= SEVEN;
    }
    bytes.write((int) left);
  }

  void signed(long value) {
    number(value << 1 ^ value >> Long.SIZE - 1);
  }

  void block(byte[] value) {
    number(value.length);
    raw(value);
  }

  void raw(byte[] value) {
    bytes.write(value, 0, value.length);
  }

  void text(String value) {
    block(value.getBytes(UTF_8));
  }

  void path(TreePath path) {
    String text = path.encoded();
    int same = 0;
    while (same < before.length()
        && same < text.length()
        && before.charAt(same) == text.charAt(same)) {
      same++;
    }
    if (same > 0 && same < text.length() && Character.isLowSurrogate(text.charAt(same))) {
      same--; // half of a pair cannot be written
    }
    number(same);
    text(text.substring(same));
    before = text;
  }

  int size() {
    return bytes.size();
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }
}
