package io.ensemble.cli.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.DistributedDefinition;
import io.ensemble.repartition.Repartition;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A distributed cache as commands report it. */
record DistributionReport(
    String name,
    String mode,
    List<String> parts,
    String partitioner,
    Map<String, String> settings,
    boolean frontier,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RepartitionReport growing,
    @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Map<String, @Nullable RedundancyReport> shards) {

  /**
   * A change of the parts that is under way.
   *
   * @param to the parts afterwards
   * @param step marking or moving
   * @param moved the former parts whose keys have been moved
   */
  record RepartitionReport(List<String> to, String step, Set<String> moved) {

    static RepartitionReport of(Repartition repartition) {
      return new RepartitionReport(
          repartition.to().parts(),
          repartition.step().name().toLowerCase(Locale.ROOT),
          repartition.moved());
    }
  }

  /** The same while its parts change. */
  DistributionReport with(Repartition repartition) {
    return new DistributionReport(
        name,
        mode,
        parts,
        partitioner,
        settings,
        frontier,
        RepartitionReport.of(repartition),
        shards);
  }

  /** The same with the redundancy of its shards; null if it has none. */
  DistributionReport withShards(@Nullable Map<String, @Nullable RedundancyReport> now) {
    return new DistributionReport(name, mode, parts, partitioner, settings, frontier, growing, now);
  }

  static DistributionReport of(DistributedDefinition cache) {
    return new DistributionReport(
        cache.name(),
        "distributed",
        cache.parts(),
        cache.partitioner().name(),
        cache.partitioner().settings(),
        cache.frontier(),
        null,
        null);
  }

  /** The partitioner with its settings, for people. */
  String partitionerText() {
    return partitioner
        + settings.entrySet().stream()
            .map(setting -> " " + setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining());
  }
}
