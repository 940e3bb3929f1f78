package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.change.Change;
import io.ensemble.change.Remains;
import io.ensemble.change.Step;
import io.ensemble.primary.Roll;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
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

  /** Of a cache whose users look for its configuration's end: who does not must not open it. */
  private static final String FORMAT_FENCED = "ensemble-cache=5\n";

  private static final String TO = "to.";
  private static final Set<String> LISTS =
      Set.of("site", "counts", "incarnation", TO + "site", TO + "incarnation", "remains");
  private static final String CHECKSUM = "checksum=";

  private DefinitionText() {}

  static byte[] write(StoredDefinition stored) {
    StringBuilder text = new StringBuilder(format(stored));
    definition(text, "", stored.definition());
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
    stored.change().ifPresent(change -> change(text, change));
    String checksum = checksum(text.toString());
    return text.append(CHECKSUM).append(checksum).append('\n').toString().getBytes(UTF_8);
  }

  private static String format(StoredDefinition stored) {
    if (stored.fenced()) {
      return FORMAT_FENCED;
    }
    return stored.roll().number() == 1 ? FORMAT : FORMAT_WITH_ROLL;
  }

  private static void definition(StringBuilder text, String of, CacheDefinition definition) {
    line(text, of + "name", definition.name());
    line(text, of + "mode", definition.mode());
    definition.sites().forEach(site -> line(text, of + "site", site));
    line(text, of + "deadline", definition.deadline());
    line(text, of + "maxValueBytes", definition.maxValueBytes());
    line(text, of + "acknowledgement", definition.acknowledgement());
    line(text, of + "tombstoneGrace", definition.tombstoneGrace());
    if (definition.acknowledgement() == Acknowledgement.PRIMARY) {
      line(text, of + "windowWrites", definition.window().writes());
      line(text, of + "windowAge", definition.window().age());
    }
  }

  private static void change(StringBuilder text, Change change) {
    definition(text, TO, change.to());
    line(text, "step", change.step());
    line(text, "owner", change.owner());
    line(text, "turn", change.turn());
    change
        .incarnations()
        .forEach((site, token) -> line(text, TO + "incarnation", token + " " + site));
    change
        .remains()
        .forEach(
            left ->
                line(
                    text,
                    "remains",
                    left.site().length() + " " + left.site() + " " + left.store()));
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
    if (!body.startsWith(FORMAT)
        && !body.startsWith(FORMAT_WITH_ROLL)
        && !body.startsWith(FORMAT_FENCED)) {
      throw new IllegalArgumentException(
          "it is of another format, whose caches this Ensemble cannot open; wanted="
              + FORMAT_FENCED.trim()
              + " found="
              + body.lines().findFirst().orElse(""));
    }
    return parsed(body.substring(FORMAT.length()), body.startsWith(FORMAT_FENCED));
  }

  private static StoredDefinition parsed(String body, boolean fenced) {
    Map<String, String> settings = new HashMap<>();
    Map<String, List<String>> lists = new HashMap<>();
    for (String line : body.lines().toList()) {
      int equals = line.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a line has no '='; line=" + line);
      }
      String name = line.substring(0, equals);
      String value = line.substring(equals + 1);
      if (LISTS.contains(name)) {
        lists.computeIfAbsent(name, list -> new ArrayList<>()).add(value);
      } else {
        settings.put(name, value);
      }
    }
    List<String> sites = lists.getOrDefault("site", List.of());
    List<String> counted = lists.getOrDefault("counts", List.of());
    return new StoredDefinition(
        definition(settings, "", sites),
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
        incarnations(lists.getOrDefault("incarnation", List.of())),
        number(settings, "revision"),
        settings.containsKey("step") ? Optional.of(change(settings, lists)) : Optional.empty(),
        fenced);
  }

  private static CacheDefinition definition(
      Map<String, String> settings, String of, List<String> sites) {
    return new CacheDefinition(
        setting(settings, of + "name"),
        Mode.valueOf(setting(settings, of + "mode")),
        sites,
        duration(settings, of + "deadline"),
        (int) number(settings, of + "maxValueBytes"),
        Acknowledgement.valueOf(setting(settings, of + "acknowledgement")),
        duration(settings, of + "tombstoneGrace"),
        window(settings, of));
  }

  private static Change change(Map<String, String> settings, Map<String, List<String>> lists) {
    SortedSet<Remains> remains = new TreeSet<>();
    for (String left : lists.getOrDefault("remains", List.of())) {
      int space = left.indexOf(' ');
      int end = space + 1 + Integer.parseInt(left.substring(0, Math.max(0, space)));
      remains.add(new Remains(left.substring(space + 1, end), left.substring(end + 1)));
    }
    return new Change(
        definition(settings, TO, lists.getOrDefault(TO + "site", List.of())),
        incarnations(lists.getOrDefault(TO + "incarnation", List.of())),
        Step.valueOf(setting(settings, "step")),
        setting(settings, "owner"),
        number(settings, "turn"),
        remains);
  }

  private static Map<String, String> incarnations(List<String> lines) {
    Map<String, String> incarnations = new HashMap<>();
    for (String line : lines) {
      int space = line.indexOf(' ');
      incarnations.put(line.substring(space + 1), line.substring(0, Math.max(0, space)));
    }
    return incarnations;
  }

  private static CopyWindow window(Map<String, String> settings, String of) {
    return settings.containsKey(of + "windowWrites")
        ? new CopyWindow(
            (int) number(settings, of + "windowWrites"), duration(settings, of + "windowAge"))
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

  private static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(UTF_8));
    return "%08x".formatted(crc.getValue());
  }

  private static String decoded(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("it is not UTF-8", e);
    }
  }
}
