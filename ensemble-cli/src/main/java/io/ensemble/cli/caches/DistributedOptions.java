package io.ensemble.cli.caches;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.partition.InstalledPartitioners;
import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The partitioner and the parts of a distributed cache. */
final class DistributedOptions {

  private static final String SITE = "site:";
  private static final String PATTERN = "pattern=";

  @Option(
      names = "--distributed",
      split = ",",
      paramLabel = "PART",
      description =
          "Distribute the keys over these caches; site:NAME is a cache at this site alone, which "
              + "is created.")
  List<String> parts = List.of();

  @Option(
      names = "--partitioner",
      paramLabel = "KIND",
      description =
          "Partitioner: rendezvous (default), modulo, pattern=REGEX (keys with equal text in the "
              + "first group are in the same part), uniform, label, or an installed one.")
  @Nullable String partitioner;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "Setting of the partitioner, such as label.PART=VALUE; may be repeated.")
  Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--group",
      paramLabel = "REGEX",
      description =
          "Keys with equal text in the first group of this expression are in the same part.")
  @Nullable String group;

  @Option(
      names = "--frontier",
      description = "Reads return only entries at the local site of the process.")
  boolean frontier;

  /** Whether the options describe a distributed cache. */
  boolean isWanted() {
    if (parts.isEmpty()
        && (partitioner != null || !settings.isEmpty() || group != null || frontier)) {
      throw new CommandException(
          ExitCode.USAGE,
          "--partitioner, --set, --group and --frontier require --distributed PART,...");
    }
    return !parts.isEmpty();
  }

  /**
   * The caches at single sites that are the parts of {@code name}.
   *
   * @throws CommandException if a site is none of {@code known}
   */
  List<CacheDefinition> ofSites(String name, Mode mode, List<String> known) {
    return parts.stream()
        .filter(part -> part.startsWith(SITE))
        .map(part -> part.substring(SITE.length()))
        .peek(site -> PlacementOptions.check(site, known))
        .map(site -> DistributedDefinition.partAt(name, site, mode))
        .toList();
  }

  /** The definition of the cache {@code name}. */
  DistributedDefinition definition(String name) {
    List<String> names = new ArrayList<>();
    for (String part : parts) {
      names.add(
          part.startsWith(SITE)
              ? DistributedDefinition.partAt(name, part.substring(SITE.length()), Mode.MWMR).name()
              : part);
    }
    return new DistributedDefinition(name, names, spec(), frontier);
  }

  private PartitionerSpec spec() {
    PartitionerSpec spec = DistributedDefinition.DEFAULT;
    if (partitioner != null) {
      spec =
          partitioner.startsWith(PATTERN)
              ? PartitionerSpec.of("uniform")
                  .with("pattern", partitioner.substring(PATTERN.length()))
              : PartitionerSpec.of(partitioner);
    }
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      spec = spec.with(setting.getKey(), setting.getValue());
    }
    return group == null ? spec : spec.with(InstalledPartitioners.GROUP, group);
  }
}
