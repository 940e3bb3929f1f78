package io.ensemble.catalog.definition;

import static io.ensemble.catalog.record.RecordText.line;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.RecordText.Settings;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.Heartbeat;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.primary.VoterSet;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** A definition as {@link RecordText}: names have no control characters. */
final class DefinitionText {

  /**
   * The beginning of the first line, which distinguishes the record from that of a distributed
   * cache.
   */
  static final String FORMATS = "ensemble-cache=";

  private static final String FORMAT = FORMATS + "3\n";

  /** With a voter set: an Ensemble that does not support voter sets must not open the cache. */
  private static final String FORMAT_WITH_ROLL = FORMATS + "4\n";

  /**
   * For a cache whose clients follow to its next configuration: a client that does not must not
   * open it.
   */
  private static final String FORMAT_FENCED = FORMATS + "5\n";

  /**
   * While keys are taken over: a client that does not support the phase must not rely on the former
   * stores.
   */
  private static final String FORMAT_CUTOVER = FORMATS + "6\n";

  /** For a cache with siblings: a client that does not support them would overwrite them. */
  private static final String FORMAT_WITH_SIBLINGS = FORMATS + "7\n";

  /** For a private cache: a client that does not support encryption would write plain text. */
  private static final String FORMAT_PRIVATE = FORMATS + "8\n";

  /**
   * For a restarted change: a client that does not support restarts would take other stores for the
   * new ones.
   */
  private static final String FORMAT_RESTARTED = FORMATS + "9\n";

  private static final List<String> KNOWN =
      List.of(
          FORMAT,
          FORMAT_WITH_ROLL,
          FORMAT_FENCED,
          FORMAT_CUTOVER,
          FORMAT_WITH_SIBLINGS,
          FORMAT_PRIVATE,
          FORMAT_RESTARTED);

  private static final String TO = "to.";

  private DefinitionText() {}

  static byte[] write(StoredDefinition stored) {
    StringBuilder text = new StringBuilder(format(stored));
    if (keepsSiblings(stored) || isPrivate(stored) || isRestarted(stored)) {
      line(text, "fenced", stored.fenced());
    }
    definition(text, "", stored.definition());
    line(text, "birth", stored.birth());
    line(text, "configuration", stored.configuration());
    line(text, "revision", stored.revision());
    VoterSet roll = stored.roll();
    if (roll.number() > 1) {
      line(text, "roll", roll.number());
      line(text, "rollEpoch", roll.epoch());
      line(text, "rollFloor", roll.floor());
      line(text, "rollSince", roll.since());
      roll.sites().forEach(site -> line(text, "counts", site));
    }
    stored.incarnations().forEach((site, token) -> line(text, "incarnation", token + " " + site));
    stored.change().ifPresent(change -> change(text, change));
    return RecordText.sealed(text);
  }

  private static boolean keepsSiblings(StoredDefinition stored) {
    return stored.definition().keepsSiblings()
        || stored.change().filter(change -> change.to().keepsSiblings()).isPresent();
  }

  private static boolean isPrivate(StoredDefinition stored) {
    return stored.definition().privacy().isPrivate();
  }

  private static boolean isRestarted(StoredDefinition stored) {
    return stored.change().filter(change -> change.restarts() > 0).isPresent();
  }

  private static String format(StoredDefinition stored) {
    if (isRestarted(stored)) {
      return FORMAT_RESTARTED;
    }
    if (isPrivate(stored)) {
      return FORMAT_PRIVATE;
    }
    if (keepsSiblings(stored)) {
      return FORMAT_WITH_SIBLINGS;
    }
    if (stored.change().filter(ConfigurationChange::isInCutover).isPresent()) {
      return FORMAT_CUTOVER;
    }
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
    if (definition.keepsSiblings()) {
      line(text, of + "siblings", definition.siblings());
    }
    if (definition.privacy().isPrivate()) {
      line(text, of + "privacy", definition.privacy());
    }
  }

  private static void change(StringBuilder text, ConfigurationChange change) {
    definition(text, TO, change.to());
    line(text, "step", change.step());
    line(text, "owner", change.owner());
    line(text, "turn", change.turn());
    line(text, "rate", change.rate());
    line(text, "beat", RecordText.beat(change.beat()));
    if (change.restarts() > 0) {
      line(text, "restarts", change.restarts());
    }
    change.abandoned().forEach(left -> line(text, "abandoned", named(left)));
    change
        .incarnations()
        .forEach((site, token) -> line(text, TO + "incarnation", token + " " + site));
    change.remains().forEach(left -> line(text, "remains", named(left)));
  }

  private static String named(ObsoleteStore left) {
    return left.site().length() + " " + left.site() + " " + left.store();
  }

  /**
   * Parses the record in {@code bytes}.
   *
   * @throws IllegalArgumentException if they are not a record, saying what is wrong
   */
  static StoredDefinition read(byte[] bytes) {
    String body = RecordText.opened(bytes);
    if (KNOWN.stream().noneMatch(body::startsWith)) {
      throw new IllegalArgumentException(
          "the record has another format, whose caches this version of Ensemble cannot open; "
              + "expected="
              + FORMAT_RESTARTED.trim()
              + " found="
              + body.lines().findFirst().orElse(""));
    }
    Settings settings = RecordText.settings(body.substring(FORMAT.length()));
    return parsed(
        settings,
        body.startsWith(FORMAT_WITH_SIBLINGS)
                || body.startsWith(FORMAT_PRIVATE)
                || body.startsWith(FORMAT_RESTARTED)
            ? Boolean.parseBoolean(settings.one("fenced"))
            : body.startsWith(FORMAT_FENCED) || body.startsWith(FORMAT_CUTOVER));
  }

  private static StoredDefinition parsed(Settings settings, boolean fenced) {
    List<String> sites = settings.all("site");
    List<String> counted = settings.all("counts");
    return new StoredDefinition(
        definition(settings, "", sites),
        settings.one("birth"),
        settings.number("configuration"),
        counted.isEmpty()
            ? VoterSet.first(sites)
            : new VoterSet(
                settings.number("roll"),
                counted,
                settings.number("rollEpoch"),
                settings.number("rollFloor"),
                settings.number("rollSince")),
        incarnations(settings.all("incarnation")),
        settings.number("revision"),
        settings.optional("step").isPresent() ? Optional.of(change(settings)) : Optional.empty(),
        fenced);
  }

  private static CacheDefinition definition(Settings settings, String of, List<String> sites) {
    return new CacheDefinition(
        settings.one(of + "name"),
        Mode.valueOf(settings.one(of + "mode")),
        sites,
        duration(settings, of + "deadline"),
        (int) settings.number(of + "maxValueBytes"),
        Acknowledgement.valueOf(settings.one(of + "acknowledgement")),
        duration(settings, of + "tombstoneGrace"),
        window(settings, of),
        settings.optional(of + "siblings").map(Integer::parseInt).orElse(1),
        settings.optional(of + "privacy").map(Privacy::valueOf).orElse(Privacy.NONE));
  }

  private static ConfigurationChange change(Settings settings) {
    return new ConfigurationChange(
        definition(settings, TO, settings.all(TO + "site")),
        incarnations(settings.all(TO + "incarnation")),
        ChangePhase.valueOf(settings.one("step")),
        settings.one("owner"),
        settings.number("turn"),
        remains(settings.all("remains")),
        settings.optional("rate").map(Long::parseLong).orElse(0L),
        settings.optional("beat").map(RecordText::beat).orElse(Heartbeat.NONE),
        settings.optional("restarts").map(Long::parseLong).orElse(0L),
        remains(settings.all("abandoned")));
  }

  private static SortedSet<ObsoleteStore> remains(List<String> lines) {
    SortedSet<ObsoleteStore> remains = new TreeSet<>();
    for (String left : lines) {
      int space = left.indexOf(' ');
      int end = space + 1 + Integer.parseInt(left.substring(0, Math.max(0, space)));
      remains.add(new ObsoleteStore(left.substring(space + 1, end), left.substring(end + 1)));
    }
    return remains;
  }

  private static Map<String, String> incarnations(List<String> lines) {
    Map<String, String> incarnations = new HashMap<>();
    for (String line : lines) {
      int space = line.indexOf(' ');
      incarnations.put(line.substring(space + 1), line.substring(0, Math.max(0, space)));
    }
    return incarnations;
  }

  private static CopyWindow window(Settings settings, String of) {
    return settings.optional(of + "windowWrites").isPresent()
        ? new CopyWindow(
            (int) settings.number(of + "windowWrites"), duration(settings, of + "windowAge"))
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
