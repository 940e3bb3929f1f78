package io.ensemble.deploy;

import picocli.CommandLine.Option;

/** How large a federation on this machine is. */
final class FederationSizeOptions {

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
          "Nodes of each site, 1 to 9; default: ${DEFAULT-VALUE}. A single site of 2 cannot hold"
              + " SWMR or MWMR caches.")
  int nodes;

  /**
   * Refuses sites that cannot hold a cache of a strong {@code mode}: three replicas, or one.
   *
   * @param used at how many of them the cache is
   */
  void requireStrongSites(Object mode, int used) {
    if (nodes == 2 && used == 1) {
      throw new CommandException(
          ExitCode.USAGE,
          "a single site needs 1 node, or 3 or more: 2 cannot hold %s caches; --nodes=2"
              .formatted(mode));
    }
  }
}
