package io.ensemble.deploy;

import picocli.CommandLine.Option;

/** How large a federation on this machine is. */
final class SiteCounts {

  @Option(
      names = "--sites",
      paramLabel = "N",
      defaultValue = "3",
      description = "Sites to start, 1 to 9; default: ${DEFAULT-VALUE}.")
  int sites;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Nodes of each site, 1 to 9; default: ${DEFAULT-VALUE}. A site of 2 cannot hold SWMR"
              + " or MWMR caches.")
  int nodes;

  /** Refuses sites that cannot hold a cache of a strong {@code mode}. */
  void requireStrongSites(Object mode) {
    if (nodes == 2) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "--nodes wants 1, or 3 or more: a site of 2 cannot hold %s caches".formatted(mode));
    }
  }
}
