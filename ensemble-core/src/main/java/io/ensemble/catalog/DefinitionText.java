package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.primary.Roll;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * A record as text for people and for files: lines of {@code setting=value}, in UTF-8, of which the
 * last is a checksum of those before. No value has a line end, for names have no control
 * characters.
 */
final class DefinitionText {

  private static final String FORMAT = "ensemble-cache=3\n";

  /** With a roll: an Ensemble that knows of none must not open the cache. */
  private static final String FORMAT_WITH_ROLL = "ensemble-cache=4\n";

  private static final String CHECKSUM = "checksum=";

  private DefinitionText() {}

  static byte[] write(StoredDefinition stored) {
    CacheDefinition definition = stored.definition();
    StringBuilder text = new StringBuilder(stored.roll().number() == 1 ? FORMAT : FORMAT_WITH_ROLL);
    line(text, "name", definition.name());
    line(text, "mode", definition.mode());
    definition.sites().forEach(site -> line(text, "site", site));
    line(text, "deadline", definition.deadline());
    line(text, "maxValueBytes", definition.maxValueBytes());
    line(text, "acknowledgement", definition.acknowledgement());
    line(text, "tombstoneGrace", definition.tombstoneGrace());
    if (definition.acknowledgement() == Acknowledgement.PRIMARY) {
      line(text, "windowWrites", definition.window().writes());
      line(text, "windowAge", definition.window().age());
    }
    line(text, "birth", stored.birth());
    line(text, "configuration", stored.configuration());
    line(text, "revision", stored.revision());
    Roll roll = stored.roll();
    if (roll.number() > 1) {
      line(text, "roll", roll.number());
      line(text, "rollEpoch", roll.epoch());
      line(text, "rollFloor", roll.floor());
      line(text, "rollSince", roll.since());
      roll.sites().forEach(site -> line(text, "counts", site));
    }
    stored.incarnations().forEach((site, token) -> line(text, "incarnation", token + " " + site));
    String checksum = checksum(text.toString());
    return text.append(CHECKSUM).append(checksum).append('\n').toString().getBytes(UTF_8);
  }

  /**
   * The record that {@code bytes} hold.
   *
   * @throws IllegalArgumentException if they hold none, saying what is wrong
   */
  static StoredDefinition read(byte[] bytes) {
    String text = decoded(bytes);
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0 || !text.endsWith("\n")) {
      throw new IllegalArgumentException("it ends before its checksum");
    }
    String body = text.substring(0, end);
    String found = text.substring(end + CHECKSUM.length()).trim();
    if (!found.equals(checksum(body))) {
      throw new IllegalArgumentException(
          "its checksum is wrong; wanted=" + checksum(body) + " found=" + found);
    }
    if (!body.startsWith(FORMAT) && !body.startsWith(FORMAT_WITH_ROLL)) {
      throw new IllegalArgumentException(
          "it is of another format, whose caches this Ensemble cannot open; wanted="
              + FORMAT.trim()
              + " found="
              + body.lines().findFirst().orElse(""));
    }
    return parsed(body.substring(FORMAT.length()));
  }

  private static StoredDefinition parsed(String body) {
    Map<String, String> settings = new HashMap<>();
    List<String> sites = new ArrayList<>();
    List<String> counted = new ArrayList<>();
    Map<String, String> incarnations = new HashMap<>();
    for (String line : body.lines().toList()) {
      int equals = line.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a line has no '='; line=" + line);
      }
      String value = line.substring(equals + 1);
      switch (line.substring(0, equals)) {
        case "site" -> sites.add(value);
        case "counts" -> counted.add(value);
        case "incarnation" -> {
          int space = value.indexOf(' ');
          incarnations.put(value.substring(space + 1), value.substring(0, Math.max(0, space)));
        }
        default -> settings.put(line.substring(0, equals), value);
      }
    }
    CacheDefinition definition =
        new CacheDefinition(
            setting(settings, "name"),
            Mode.valueOf(setting(settings, "mode")),
            sites,
            duration(settings, "deadline"),
            (int) number(settings, "maxValueBytes"),
            Acknowledgement.valueOf(setting(settings, "acknowledgement")),
            duration(settings, "tombstoneGrace"),
            window(settings));
    return new StoredDefinition(
        definition,
        setting(settings, "birth"),
        number(settings, "configuration"),
        counted.isEmpty()
            ? Roll.first(sites)
            : new Roll(
                number(settings, "roll"),
                counted,
                number(settings, "rollEpoch"),
                number(settings, "rollFloor"),
                number(settings, "rollSince")),
        incarnations,
        number(settings, "revision"));
  }

  private static CopyWindow window(Map<String, String> settings) {
    return settings.containsKey("windowWrites")
        ? new CopyWindow((int) number(settings, "windowWrites"), duration(settings, "windowAge"))
        : CopyWindow.DEFAULT;
  }

  private static String setting(Map<String, String> settings, String name) {
    String value = settings.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a setting is missing; setting=" + name);
    }
    return value;
  }

  private static long number(Map<String, String> settings, String name) {
    return Long.parseLong(setting(settings, name));
  }

  private static Duration duration(Map<String, String> settings, String name) {
    try {
      return Duration.parse(setting(settings, name));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("not a duration; setting=" + name, e);
    }
  }

  private static void line(StringBuilder text, String setting, Object value) {
    text.append(setting).append('=').append(value).append('\n');
  }

  static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(UTF_8));
    return "%08x".formatted(crc.getValue());
  }

  static String decoded(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("it is not UTF-8", e);
    }
  }
}
