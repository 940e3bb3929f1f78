package io.ensemble.catalog.definition;

import static io.ensemble.catalog.record.RecordText.line;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.RecordText.Settings;
import io.ensemble.change.Heartbeat;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.repartition.Repartition;
import io.ensemble.repartition.RepartitionPhase;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The record of a distributed cache, as {@link RecordText}. */
final class DistributionText {

  /** The beginning of the first line, which distinguishes the record from that of another cache. */
  static final String FORMATS = "ensemble-distributed=";

  private static final String FORMAT = FORMATS + "1\n";

  private static final String TO = "to.";

  private DistributionText() {}

  static byte[] write(StoredDistribution stored) {
    DistributedDefinition definition = stored.definition();
    StringBuilder text = new StringBuilder(FORMAT);
    definition(text, "", definition);
    line(text, "birth", stored.birth());
    line(text, "fenced", stored.fenced());
    line(text, "generation", stored.generation());
    line(text, "revision", stored.revision());
    stored
        .growth()
        .ifPresent(
            growth -> {
              definition(text, TO, growth.to());
              line(text, "step", growth.step());
              line(text, "owner", growth.owner());
              line(text, "turn", growth.turn());
              growth.moved().forEach(part -> line(text, "moved", part));
              line(text, "beat", RecordText.beat(growth.beat()));
            });
    return RecordText.sealed(text);
  }

  private static void definition(StringBuilder text, String of, DistributedDefinition definition) {
    line(text, of + "name", definition.name());
    definition.parts().forEach(part -> line(text, of + "part", part));
    line(text, of + "partitioner", definition.partitioner().name());
    definition
        .partitioner()
        .settings()
        .forEach((setting, value) -> line(text, of + "set", setting + "=" + value));
    line(text, of + "frontier", definition.frontier());
  }

  /**
   * Parses the record in {@code bytes}.
   *
   * @throws IllegalArgumentException if they are not a record, saying what is wrong
   */
  static StoredDistribution read(byte[] bytes) {
    String text = RecordText.opened(bytes);
    if (!text.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "the record has another format; expected=%s found=%s"
              .formatted(FORMAT.trim(), text.lines().findFirst().orElse("")));
    }
    return parsed(RecordText.settings(text.substring(FORMAT.length())));
  }

  private static StoredDistribution parsed(Settings text) {
    return new StoredDistribution(
        definition(text, ""),
        text.one("birth"),
        text.one("fenced").equals("true"),
        text.number("generation"),
        text.number("revision"),
        text.optional("step").map(step -> growth(text, RepartitionPhase.valueOf(step))));
  }

  private static Repartition growth(Settings text, RepartitionPhase step) {
    return new Repartition(
        definition(text, TO),
        step,
        text.one("owner"),
        text.number("turn"),
        new TreeSet<>(text.all("moved")),
        text.optional("beat").map(RecordText::beat).orElse(Heartbeat.NONE));
  }

  private static DistributedDefinition definition(Settings text, String of) {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : text.all(of + "set")) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a setting has no value; setting=" + setting);
      }
      settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return new DistributedDefinition(
        text.one(of + "name"),
        text.all(of + "part"),
        new PartitionerSpec(text.one(of + "partitioner"), settings),
        text.one(of + "frontier").equals("true"));
  }
}
