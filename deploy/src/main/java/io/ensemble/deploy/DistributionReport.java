package io.ensemble.deploy;

import io.ensemble.DistributedDefinition;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A distributed cache as commands report it. */
record DistributionReport(
    String name,
    String mode,
    List<String> parts,
    String partitioner,
    Map<String, String> settings,
    boolean frontier) {

  static DistributionReport of(DistributedDefinition cache) {
    return new DistributionReport(
        cache.name(),
        "distributed",
        cache.parts(),
        cache.partitioner().name(),
        cache.partitioner().settings(),
        cache.frontier());
  }

  /** The partitioner with its settings, for people. */
  String by() {
    return partitioner
        + settings.entrySet().stream()
            .map(setting -> " " + setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining());
  }
}
