package io.ensemble.check.faults;

import io.ensemble.check.federation.LocalFederation;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.ShutdownHook;
import io.ensemble.check.report.WorkDirectory;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sites whose nodes are processes, on disk. A kill is {@code kill -9}, after which the acknowledged
 * writes are there when the site runs again. A pause stops the processes themselves; amnesia is a
 * kill after which the disks are empty. Faults of links act on the relays in front of the nodes. A
 * rolling restart can be an upgrade of the nodes to another version of their servers.
 */
public final class ProcessSites implements FaultableSites {
  private final LocalFederation.Processes federation;
  private final int nodes;
  private final @Nullable ServerLibrary upgrade;
  private final ShutdownHook reaper;

  private ProcessSites(
      LocalFederation.Processes federation,
      int nodes,
      @Nullable ServerLibrary upgrade,
      ShutdownHook reaper) {
    this.federation = federation;
    this.nodes = nodes;
    this.upgrade = upgrade;
    this.reaper = reaper;
  }

  /**
   * Starts the sites. If this process is terminated, they die, and their data is removed.
   *
   * @param plan a plan with processes
   * @param upgrade the jars with which a rolling restart starts each node; null for the former ones
   * @param directory the directory for their data and logs
   * @throws io.ensemble.check.process.CommandException if they cannot be started; the message has
   *     the reason
   */
  public static ProcessSites start(
      LocalPlan plan, @Nullable ServerLibrary upgrade, Path directory, Consumer<String> progress) {
    LocalFederation.Processes federation = LocalSites.startBreakable(plan, directory, progress);
    ShutdownHook reaper =
        ShutdownHook.set(
            "check-sites-reaper",
            () -> {
              federation.sites().abandon();
              WorkDirectory.remove(directory);
            });
    return new ProcessSites(federation, plan.nodes(), upgrade, reaper);
  }

  @Override
  public List<SiteDescriptor> places() {
    return federation.places();
  }

  @Override
  public int nodes() {
    return nodes;
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return TrialFaultKind.defaults(EnumSet.allOf(TrialFaultKind.class));
  }

  @Override
  public boolean killedSitesRemember() {
    return true;
  }

  @Override
  public List<SiteLinkReport> lines() {
    return federation.lines();
  }

  private ProcessSite site(int number) {
    return federation.sites().sites().get(number);
  }

  @Override
  public void begin(PlannedFault fault) {
    ProcessSite site = site(fault.site());
    switch (fault.kind()) {
      case KILL -> site.kill();
      case AMNESIA -> {
        site.kill();
        site.wipe();
        site.start();
      }
      case NODE -> site.killNodes(fault.node());
      case ROLLING -> {
        if (fault.kills()) {
          site.killNodes(fault.node());
        } else {
          site.stopNode(fault.node());
        }
      }
      case SPLIT -> site.split(fault.groups(nodes));
      case PAUSE -> fault.nodes(nodes).forEach(site::pauseNode);
      case CUT, SLOW, ONEWAY -> fault.nodes(nodes).forEach(node -> fault.begin(site.link(node)));
      case CATALOG, RECONFIGURE, REPLACE, OWNER, CLIENT, EVENTS -> throw fault.isOfNoSite();
    }
  }

  @Override
  public void end(PlannedFault fault) {
    ProcessSite site = site(fault.site());
    switch (fault.kind()) {
      case KILL -> site.start();
      case NODE -> site.startNode(fault.node());
      case ROLLING -> {
        if (upgrade == null) {
          site.startNode(fault.node());
        } else {
          site.startNode(fault.node(), upgrade);
        }
      }
      case AMNESIA -> {} // It runs again already.
      case SPLIT -> site.unite();
      case PAUSE -> fault.nodes(nodes).forEach(site::resumeNode);
      case CUT, SLOW, ONEWAY -> fault.nodes(nodes).forEach(node -> site.link(node).heal());
      case CATALOG, RECONFIGURE, REPLACE, OWNER, CLIENT, EVENTS -> throw fault.isOfNoSite();
    }
  }

  @Override
  public boolean isBalanced(int site) {
    return site(site).isBalanced();
  }

  @Override
  public boolean isDegraded(int site) {
    return site(site).isDegraded();
  }

  @Override
  public void close() {
    if (reaper.withdraw()) {
      federation.close();
    }
  }
}
