package io.ensemble.check.federation;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSecurity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A federation to start on this machine.
 *
 * @param sites the number of sites
 * @param nodes the number of nodes of each site
 * @param wan the emulated network to every site but the first
 * @param processes whether each node is a process of its own; otherwise all are in this process
 * @param data the directory for the data of its sites; null for none
 * @param security the requirements of its sites for clients and nodes
 * @param diskReserveBytes the free disk space that nodes with {@code data} require; 0 for none
 */
public record LocalPlan(
    int sites,
    int nodes,
    WanProfile wan,
    boolean processes,
    @Nullable Path data,
    ProcessSecurity security,
    long diskReserveBytes) {

  private static final int MOST_NODES = 9;

  /**
   * @throws CommandException if an option is invalid; the message names it
   */
  public LocalPlan {
    SiteNames.first(sites);
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new CommandException(
          ExitCode.USAGE, "--nodes must be in [1, " + MOST_NODES + "]; got " + nodes);
    }
    if (data != null && !processes) {
      throw new CommandException(
          ExitCode.USAGE,
          "--data requires --processes: sites in one process keep data in memory only");
    }
    if (security != ProcessSecurity.OPEN && !processes) {
      throw new CommandException(
          ExitCode.USAGE,
          "--tls requires --processes: sites in one process are open to this machine");
    }
  }

  /** A federation without security. */
  public LocalPlan(int sites, int nodes, WanProfile wan, boolean processes, @Nullable Path data) {
    this(
        sites,
        nodes,
        wan,
        processes,
        data,
        ProcessSecurity.OPEN,
        ProcessOptions.DEFAULT_DISK_RESERVE_BYTES);
  }

  /** A federation in this process, without network delay. */
  public static LocalPlan embedded(int sites, int nodes) {
    return new LocalPlan(sites, nodes, WanProfile.NONE, false, null);
  }

  /** The same with one more site. */
  public LocalPlan withOneMoreSite() {
    return new LocalPlan(sites + 1, nodes, wan, processes, data, security, diskReserveBytes);
  }
}
