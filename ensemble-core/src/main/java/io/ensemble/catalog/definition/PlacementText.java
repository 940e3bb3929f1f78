package io.ensemble.catalog.definition;

import static io.ensemble.catalog.record.RecordText.line;

import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.RecordText.Settings;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementPolicy.Extent;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A placement as {@link RecordText}: names and labels have no line ends. */
final class PlacementText {

  private static final String FORMAT = "ensemble-placement=1\n";

  private PlacementText() {}

  static byte[] write(StoredPlacement placement) {
    StringBuilder text = new StringBuilder(FORMAT);
    PlacementPolicy wish = placement.wish();
    line(text, "name", wish.cache());
    line(text, "birth", placement.birth());
    if (wish.extent() instanceof Extent.Exactly exactly) {
      exactly.sites().forEach(site -> line(text, "exactly", site));
    } else {
      line(text, "copies", ((Extent.Copies) wish.extent()).factor());
    }
    new TreeSet<>(wish.banned()).forEach(site -> line(text, "banned", site));
    new TreeMap<>(wish.required())
        .forEach((label, value) -> line(text, "label", label + "=" + value));
    wish.spreadBy().ifPresent(label -> line(text, "spreadBy", label));
    new TreeSet<>(wish.preferred()).forEach(site -> line(text, "preferred", site));
    new TreeSet<>(wish.near()).forEach(cache -> line(text, "near", cache));
    line(text, "entries", wish.entries());
    placement.sites().forEach(site -> line(text, "site", site));
    placement.reasons().forEach(reason -> line(text, "reason", reason));
    return RecordText.sealed(text);
  }

  /**
   * Parses the placement in {@code bytes}.
   *
   * @throws IllegalArgumentException if they are not a placement, saying what is wrong
   */
  static StoredPlacement read(byte[] bytes) {
    String body = RecordText.opened(bytes);
    if (!body.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "the record has another format; expected=%s found=%s"
              .formatted(FORMAT.trim(), body.lines().findFirst().orElse("")));
    }
    Settings text = RecordText.settings(body.substring(FORMAT.length()));
    Map<String, String> required = new TreeMap<>();
    for (String label : text.all("label")) {
      int equals = label.indexOf('=');
      required.put(label.substring(0, Math.max(0, equals)), label.substring(equals + 1));
    }
    Optional<String> copies = text.optional("copies");
    PlacementPolicy wish =
        new PlacementPolicy(
            text.one("name"),
            copies.isPresent()
                ? new Extent.Copies(Integer.parseInt(copies.get()))
                : new Extent.Exactly(text.all("exactly")),
            Set.copyOf(text.all("banned")),
            required,
            text.optional("spreadBy"),
            Set.copyOf(text.all("preferred")),
            Set.copyOf(text.all("near")),
            text.number("entries"));
    return new StoredPlacement(text.one("birth"), wish, text.all("site"), text.all("reason"));
  }
}
