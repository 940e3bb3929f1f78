package io.ensemble.catalog;

import static io.ensemble.catalog.RecordText.line;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.RecordText.Settings;
import io.ensemble.partition.PartitionerSpec;
import java.util.Map;
import java.util.TreeMap;

/** A distributed cache's record as text, as {@link RecordText}. */
final class DistributionText {

  /** How the first line begins, by which it is told from the record of another cache. */
  static final String FORMATS = "ensemble-distributed=";

  private static final String FORMAT = FORMATS + "1\n";

  private DistributionText() {}

  static byte[] write(StoredDistribution stored) {
    DistributedDefinition definition = stored.definition();
    StringBuilder text = new StringBuilder(FORMAT);
    line(text, "name", definition.name());
    definition.parts().forEach(part -> line(text, "part", part));
    line(text, "partitioner", definition.partitioner().name());
    definition
        .partitioner()
        .settings()
        .forEach((setting, value) -> line(text, "set", setting + "=" + value));
    line(text, "frontier", definition.frontier());
    line(text, "birth", stored.birth());
    return RecordText.sealed(text);
  }

  /**
   * The record that {@code bytes} hold.
   *
   * @throws IllegalArgumentException if they hold none, saying what is wrong
   */
  static StoredDistribution read(byte[] bytes) {
    String text = RecordText.opened(bytes);
    if (!text.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "it is of another format; wanted=%s found=%s"
              .formatted(FORMAT.trim(), text.lines().findFirst().orElse("")));
    }
    return parsed(RecordText.settings(text.substring(FORMAT.length())));
  }

  private static StoredDistribution parsed(Settings text) {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : text.all("set")) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a setting has no value; setting=" + setting);
      }
      settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return new StoredDistribution(
        new DistributedDefinition(
            text.one("name"),
            text.all("part"),
            new PartitionerSpec(text.one("partitioner"), settings),
            text.one("frontier").equals("true")),
        text.one("birth"));
  }
}
