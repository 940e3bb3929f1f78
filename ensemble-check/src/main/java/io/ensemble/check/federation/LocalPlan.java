package io.ensemble.check.federation;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSecurity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A federation to be started on this machine.
 *
 * @param sites how many
 * @param nodes of each site
 * @param wan the way to every site but the first
 * @param processes whether each node is a process of its own; else all live in this one
 * @param data where its sites keep what they hold; null for nowhere
 * @param security what its sites ask of clients and nodes
 * @param diskReserveBytes what nodes with {@code data} keep free of their disks; 0 for nothing
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
   * @throws CommandException naming the option that is wrong
   */
  public LocalPlan {
    SiteNames.first(sites);
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new CommandException(
          ExitCode.USAGE, "--nodes wants 1 to " + MOST_NODES + " nodes a site; got " + nodes);
    }
    if (data != null && !processes) {
      throw new CommandException(
          ExitCode.USAGE, "--data wants --processes: sites in one process are in memory only");
    }
    if (security != ProcessSecurity.OPEN && !processes) {
      throw new CommandException(
          ExitCode.USAGE, "--tls wants --processes: sites in one process are open to this machine");
    }
  }

  /** Open to anyone on this machine. */
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

  /** In this process, near. */
  public static LocalPlan embedded(int sites, int nodes) {
    return new LocalPlan(sites, nodes, WanProfile.NONE, false, null);
  }

  /** The same with a site more. */
  public LocalPlan withOneMoreSite() {
    return new LocalPlan(sites + 1, nodes, wan, processes, data, security, diskReserveBytes);
  }
}
