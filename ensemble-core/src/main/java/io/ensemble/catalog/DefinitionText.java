package io.ensemble.catalog;

import static io.ensemble.catalog.RecordText.line;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.catalog.RecordText.Settings;
import io.ensemble.primary.Roll;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A definition as {@link RecordText}: names have no control characters. */
final class DefinitionText {

  private static final String FORMAT = "ensemble-cache=3\n";

  /** With a roll: an Ensemble that knows of none must not open the cache. */
  private static final String FORMAT_WITH_ROLL = "ensemble-cache=4\n";

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
    return RecordText.sealed(text);
  }

  /**
   * The record that {@code bytes} hold.
   *
   * @throws IllegalArgumentException if they hold none, saying what is wrong
   */
  static StoredDefinition read(byte[] bytes) {
    String body = RecordText.opened(bytes);
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
    Settings settings = RecordText.settings(body);
    List<String> sites = settings.all("site");
    List<String> counted = settings.all("counts");
    Map<String, String> incarnations = new HashMap<>();
    for (String value : settings.all("incarnation")) {
      int space = value.indexOf(' ');
      incarnations.put(value.substring(space + 1), value.substring(0, Math.max(0, space)));
    }
    CacheDefinition definition =
        new CacheDefinition(
            settings.one("name"),
            Mode.valueOf(settings.one("mode")),
            sites,
            duration(settings, "deadline"),
            (int) settings.number("maxValueBytes"),
            Acknowledgement.valueOf(settings.one("acknowledgement")),
            duration(settings, "tombstoneGrace"),
            window(settings));
    return new StoredDefinition(
        definition,
        settings.one("birth"),
        settings.number("configuration"),
        counted.isEmpty()
            ? Roll.first(sites)
            : new Roll(
                settings.number("roll"),
                counted,
                settings.number("rollEpoch"),
                settings.number("rollFloor"),
                settings.number("rollSince")),
        incarnations,
        settings.number("revision"));
  }

  private static CopyWindow window(Settings settings) {
    return settings.optional("windowWrites").isPresent()
        ? new CopyWindow((int) settings.number("windowWrites"), duration(settings, "windowAge"))
        : CopyWindow.DEFAULT;
  }

  private static Duration duration(Settings settings, String name) {
    try {
      return Duration.parse(settings.one(name));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("not a duration; setting=" + name, e);
    }
  }
}
