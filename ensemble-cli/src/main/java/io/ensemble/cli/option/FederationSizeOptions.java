package io.ensemble.cli.option;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import picocli.CommandLine.Option;

/** The size of a federation on this machine. */
public final class FederationSizeOptions {

  @Option(
      names = "--sites",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of sites to start, 1 to 9; default: ${DEFAULT-VALUE}.")
  public int sites;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Number of nodes of each site, 1 to 9; default: ${DEFAULT-VALUE}. A single site of 2 "
              + "nodes cannot hold SWMR or MWMR caches.")
  public int nodes;

  /**
   * Refuses sites that cannot hold a cache of a strong {@code mode}: it needs three replicas, or
   * one.
   *
   * @param used the number of sites of the cache
   */
  public void requireStrongSites(Object mode, int used) {
    if (nodes == 2 && used == 1) {
      throw new CommandException(
          ExitCode.USAGE,
          "a single site requires 1 node, or 3 or more: 2 cannot hold %s caches; --nodes=2"
              .formatted(mode));
    }
  }
}
