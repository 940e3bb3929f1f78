package io.ensemble.cli.caches;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.placement.PlacementPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The placement of a cache: at named sites, or where a placement policy finds best. */
final class PlacementOptions {

  @Option(
      names = "--sites",
      split = ",",
      paramLabel = "SITE",
      description =
          "Sites that hold the cache, in order of preference; default: all. The first is the first "
              + "primary of an SWMR cache.")
  List<String> sites = List.of();

  @Option(
      names = "--replication",
      paramLabel = "N",
      description =
          "Number of sites that hold the cache: the first N of --sites, otherwise chosen by the "
              + "placement policy; default: all.")
  @Nullable Integer replication;

  @Option(
      names = "--ban",
      split = ",",
      paramLabel = "SITE",
      description = "Sites that must not hold the cache.")
  List<String> banned = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Only sites with this label; may be repeated.")
  Map<String, String> required = new LinkedHashMap<>();

  @Option(
      names = "--spread-by",
      paramLabel = "LABEL",
      description = "Sites with different values of this label, as far as possible.")
  @Nullable String spreadBy;

  @Option(
      names = "--prefer",
      split = ",",
      paramLabel = "SITE",
      description = "Preferred sites, those that query the cache.")
  List<String> preferred = List.of();

  @Option(
      names = "--near",
      split = ",",
      paramLabel = "CACHE",
      description = "Prefer the sites of these caches, which are used together with this cache.")
  List<String> near = List.of();

  /** Whether the options contain a policy, which names no sites. */
  private boolean isPolicyGiven(List<String> known, boolean kept) {
    return !banned.isEmpty()
        || !required.isEmpty()
        || spreadBy != null
        || !preferred.isEmpty()
        || !near.isEmpty()
        || (replication != null && sites.isEmpty() && (kept || replication < known.size()));
  }

  /** Whether any of these options is given. */
  boolean isGiven() {
    return !sites.isEmpty() || replication != null || isPolicyGiven(List.of(), false);
  }

  /**
   * The placement policy for {@code cache}; empty if the sites are simply {@link #namedSites}.
   * Equal options make an equal policy whichever sites serve, so that a repeated command is
   * recognized.
   *
   * @param known all sites, including those that are being drained
   * @param kept whether the cache exists with a policy; fewer sites may exist since
   * @throws CommandException if the policy is impossible
   */
  Optional<PlacementPolicy> policy(String cache, List<String> known, boolean kept) {
    if (!isPolicyGiven(known, kept)) {
      return Optional.empty();
    }
    PlacementPolicy.Builder policyBuilder;
    if (!sites.isEmpty()) {
      policyBuilder = PlacementPolicy.exactly(cache, namedSites(known, known));
    } else if (replication == null) {
      throw new CommandException(
          ExitCode.USAGE, "--replication N is required with a placement policy");
    } else {
      if (!kept || replication < 1) {
        check(replication, known.size());
      }
      policyBuilder = PlacementPolicy.copies(cache, replication);
    }
    required.forEach(policyBuilder::require);
    if (spreadBy != null) {
      policyBuilder.spreadBy(spreadBy);
    }
    return Optional.of(
        policyBuilder
            .ban(banned.toArray(String[]::new))
            .prefer(preferred.toArray(String[]::new))
            .near(near.toArray(String[]::new))
            .build());
  }

  /**
   * The named sites, or all serving sites.
   *
   * @param known all sites, including those that are being drained
   * @throws CommandException if a named site does not exist, or there are too few
   */
  List<String> namedSites(List<String> known, List<String> serving) {
    List<String> wanted = sites.isEmpty() ? serving : sites;
    wanted.forEach(site -> check(site, known));
    if (replication == null) {
      return wanted;
    }
    check(replication, wanted.size());
    return wanted.subList(0, replication);
  }

  /** Fails unless the site is known. */
  static void check(String site, List<String> known) {
    if (!known.contains(site)) {
      throw new CommandException(
          ExitCode.USAGE, "no such site: '%s'; there are %s".formatted(site, known));
    }
  }

  private static void check(int replication, int most) {
    if (replication < 1 || replication > most) {
      throw new CommandException(
          ExitCode.USAGE,
          "--replication must be in [1, %d], the number of sites; got %d"
              .formatted(most, replication));
    }
  }
}
