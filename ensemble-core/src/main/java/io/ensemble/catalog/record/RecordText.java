package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.change.Heartbeat;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * A record as readable text: lines of {@code setting=value}, in UTF-8. The first line is the
 * format, and the last is a checksum of the lines before it. A setting may occur several times. No
 * value has a line end.
 */
public final class RecordText {

  private static final String CHECKSUM = "checksum=";

  private RecordText() {}

  public static void line(StringBuilder text, String setting, Object value) {
    text.append(setting).append('=').append(value).append('\n');
  }

  /** A mover's heartbeat as a value. */
  public static String beat(Heartbeat beat) {
    return beat.number() + " " + beat.copied() + " " + beat.of();
  }

  public static Heartbeat beat(String text) {
    String[] numbers = text.split(" ", -1);
    if (numbers.length != 3) {
      throw new IllegalArgumentException("heartbeat must be three numbers; got=" + text);
    }
    return new Heartbeat(
        Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
  }

  /** Whether {@code text} begins with {@code format}. */
  public static boolean isOf(String format, byte[] text) {
    byte[] wanted = format.getBytes(UTF_8);
    return text.length >= wanted.length
        && Arrays.equals(text, 0, wanted.length, wanted, 0, wanted.length);
  }

  /** Completes a record with its checksum. */
  public static byte[] sealed(StringBuilder text) {
    String checksum = checksum(text.toString());
    return text.append(CHECKSUM).append(checksum).append('\n').toString().getBytes(UTF_8);
  }

  /**
   * The text before the checksum.
   *
   * @throws IllegalArgumentException if the record is incomplete or damaged, saying what is wrong
   */
  public static String opened(byte[] bytes) {
    String text = decoded(bytes);
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0 || !text.endsWith("\n")) {
      throw new IllegalArgumentException("the record ends before its checksum");
    }
    String body = text.substring(0, end);
    String found = text.substring(end + CHECKSUM.length()).trim();
    if (!found.equals(checksum(body))) {
      throw new IllegalArgumentException(
          "the checksum of the record is wrong; expected=" + checksum(body) + " found=" + found);
    }
    return body;
  }

  private static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(UTF_8));
    return "%08x".formatted(crc.getValue());
  }

  private static String decoded(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the record is not UTF-8", e);
    }
  }

  /** The settings of a body, each with its values in order. */
  public static Settings settings(String body) {
    Map<String, List<String>> settings = new TreeMap<>();
    for (String line : body.lines().toList()) {
      int equals = line.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a line has no '='; line=" + line);
      }
      settings
          .computeIfAbsent(line.substring(0, equals), setting -> new ArrayList<>())
          .add(line.substring(equals + 1));
    }
    return new Settings(settings);
  }

  /** The parsed settings of a body. */
  public record Settings(Map<String, List<String>> values) {

    public List<String> all(String setting) {
      return values.getOrDefault(setting, List.of());
    }

    public Optional<String> optional(String setting) {
      return all(setting).stream().reduce((first, last) -> last);
    }

    /**
     * @throws IllegalArgumentException if the setting is missing
     */
    public String one(String setting) {
      return optional(setting)
          .orElseThrow(
              () -> new IllegalArgumentException("a setting is missing; setting=" + setting));
    }

    public long number(String setting) {
      return Long.parseLong(one(setting));
    }
  }
}
