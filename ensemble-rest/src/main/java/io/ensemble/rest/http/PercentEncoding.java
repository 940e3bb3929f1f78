package io.ensemble.rest.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Strict percent encoding: UTF-8, with complete escapes only. */
public final class PercentEncoding {

  private static final int MOST_PARAMETERS = 64;

  private PercentEncoding() {}

  /**
   * @throws ProblemException if the text is not encoded correctly
   */
  static String decode(String raw, boolean plusIsSpace) {
    if (raw.indexOf('%') < 0 && raw.indexOf('+') < 0 && isAscii(raw)) {
      return raw;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
    int i = 0;
    while (i < raw.length()) {
      int c = raw.codePointAt(i);
      if (c == '%') {
        if (i + 2 >= raw.length()
            || !HexFormat.isHexDigit(raw.charAt(i + 1))
            || !HexFormat.isHexDigit(raw.charAt(i + 2))) {
          throw malformed(raw);
        }
        bytes.write(HexFormat.fromHexDigits(raw, i + 1, i + 3));
        i += 3;
      } else {
        if (Character.isBmpCodePoint(c) && Character.isSurrogate((char) c)) {
          throw malformed(raw);
        }
        String character = Character.toString(c == '+' && plusIsSpace ? ' ' : c);
        bytes.writeBytes(character.getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(c);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw malformed(raw);
    }
  }

  public static Map<String, List<String>> parseQuery(String raw) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    if (raw.isEmpty()) {
      return parameters;
    }
    String[] pairs = raw.split("&", -1);
    if (pairs.length > MOST_PARAMETERS) {
      throw Problem.of(
          ProblemType.MALFORMED,
          "a query must have at most %d parameters".formatted(MOST_PARAMETERS));
    }
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals), true);
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true);
      parameters.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
    }
    return parameters;
  }

  private static boolean isAscii(String raw) {
    return raw.chars().allMatch(c -> c < 128);
  }

  private static ProblemException malformed(String raw) {
    return Problem.of(
        ProblemType.MALFORMED,
        "expected percent-encoded UTF-8; got '%s'".formatted(Problem.abbreviate(raw)));
  }
}
