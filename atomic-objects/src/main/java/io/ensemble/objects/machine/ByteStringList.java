package io.ensemble.objects.machine;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several byte strings in one: a byte that says what they are, then for each one its length plus
 * one, in groups of seven bits, and its bytes. A length field of zero means null.
 */
record ByteStringList(byte kind, List<byte @Nullable []> parts) {

  byte[] write() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(kind);
    for (byte[] part : parts) {
      int length = part == null ? 0 : part.length + 1;
      while (length > 0x7f) {
        out.write((length & 0x7f) | 0x80);
        length >>>= 7;
      }
      out.write(length);
      if (part != null) {
        out.writeBytes(part);
      }
    }
    return out.toByteArray();
  }

  static ByteStringList read(byte[] bytes, String what) {
    if (bytes.length == 0) {
      throw new UnreadableException(what + " must not be empty", null);
    }
    List<byte @Nullable []> parts = new ArrayList<>();
    int at = 1;
    while (at < bytes.length) {
      long length = 0;
      int shift = 0;
      byte next;
      do {
        if (at == bytes.length || shift > 28) {
          throw damaged(what, at);
        }
        next = bytes[at++];
        length |= (next & 0x7fL) << shift;
        shift += 7;
      } while (next < 0);
      if (length == 0) {
        parts.add(null);
        continue;
      }
      if (length - 1 > bytes.length - at) {
        throw damaged(what, at);
      }
      byte[] part = new byte[(int) length - 1];
      System.arraycopy(bytes, at, part, 0, part.length);
      parts.add(part);
      at += part.length;
    }
    return new ByteStringList(bytes[0], parts);
  }

  private static UnreadableException damaged(String what, int at) {
    return new UnreadableException(what + " is malformed at byte " + at, null);
  }

  static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }
}
