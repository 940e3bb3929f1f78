package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.DistributedDefinition;
import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A distributed cache's record as text, in the form of {@link DefinitionText}. */
final class DistributionText {

  /** The first line, by which it is told from the record of another cache. */
  static final String FORMAT = "ensemble-distributed=1\n";

  private static final String CHECKSUM = "checksum=";

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
    line(text, "frontier", String.valueOf(definition.frontier()));
    line(text, "birth", stored.birth());
    return (text + CHECKSUM + DefinitionText.checksum(text.toString()) + "\n").getBytes(UTF_8);
  }

  /**
   * The record that {@code bytes} hold.
   *
   * @throws IllegalArgumentException if they hold none, saying what is wrong
   */
  static StoredDistribution read(byte[] bytes) {
    String text = DefinitionText.decoded(bytes);
    if (!text.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "it is of another format; wanted=%s found=%s"
              .formatted(FORMAT.trim(), text.lines().findFirst().orElse("")));
    }
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0
        || !text.substring(end)
            .equals(CHECKSUM + DefinitionText.checksum(text.substring(0, end)) + "\n")) {
      throw new IllegalArgumentException("its checksum is missing or wrong");
    }
    return parsed(text.substring(FORMAT.length(), end));
  }

  private static StoredDistribution parsed(String body) {
    Map<String, String> single = new HashMap<>();
    List<String> parts = new ArrayList<>();
    Map<String, String> settings = new TreeMap<>();
    for (String line : body.lines().toList()) {
      String[] named = split(line);
      switch (named[0]) {
        case "part" -> parts.add(named[1]);
        case "set" -> {
          String[] setting = split(named[1]);
          settings.put(setting[0], setting[1]);
        }
        default -> single.put(named[0], named[1]);
      }
    }
    return new StoredDistribution(
        new DistributedDefinition(
            needed(single, "name"),
            parts,
            new PartitionerSpec(needed(single, "partitioner"), settings),
            needed(single, "frontier").equals("true")),
        needed(single, "birth"));
  }

  private static String[] split(String line) {
    int equals = line.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("a line has no '='; line=" + line);
    }
    return new String[] {line.substring(0, equals), line.substring(equals + 1)};
  }

  private static String needed(Map<String, String> settings, String name) {
    String value = settings.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a setting is missing; setting=" + name);
    }
    return value;
  }

  private static void line(StringBuilder text, String setting, String value) {
    text.append(setting).append('=').append(value).append('\n');
  }
}
