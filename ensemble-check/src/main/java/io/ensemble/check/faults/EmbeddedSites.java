package io.ensemble.check.faults;

import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Sites in this process. A kill is as abrupt as one JVM allows: peers and clients see sockets close
 * and receive no more messages. A paused site keeps its connections and sends no response. All data
 * is in memory, so a killed site comes back empty.
 */
public final class EmbeddedSites implements FaultableSites {
  private final EmbeddedFederation federation;
  private final int nodes;

  /** Applies faults to {@code federation}, which is closed with this. */
  public EmbeddedSites(EmbeddedFederation federation, int nodes) {
    this.federation = federation;
    this.nodes = nodes;
  }

  @Override
  public List<SiteDescriptor> places() {
    return LocalSites.places(federation);
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
    return false;
  }

  @Override
  public List<SiteLinkReport> lines() {
    return federation.lines();
  }

  @Override
  public void begin(PlannedFault fault) {
    EmbeddedSite site = federation.sites().get(fault.site());
    switch (fault.kind()) {
      case KILL -> site.kill();
      case AMNESIA -> {
        site.kill();
        site.restart();
      }
      case NODE -> site.killNode(fault.node());
      case ROLLING -> {
        if (fault.kills()) {
          site.killNode(fault.node());
        } else {
          site.stopNode(fault.node());
        }
      }
      case SPLIT -> site.split(fault.groups(nodes));
      case PAUSE -> fault.nodes(nodes).forEach(node -> site.link(node).hang());
      case CUT, SLOW, ONEWAY -> fault.nodes(nodes).forEach(node -> fault.begin(site.link(node)));
      case CATALOG, RECONFIGURE, REPLACE, OWNER, CLIENT, EVENTS -> throw fault.isOfNoSite();
    }
  }

  @Override
  public void end(PlannedFault fault) {
    EmbeddedSite site = federation.sites().get(fault.site());
    switch (fault.kind()) {
      case KILL -> site.restart();
      case NODE, ROLLING -> site.restartNode(fault.node());
      case SPLIT -> site.unite();
      case AMNESIA -> {} // It runs again already.
      case PAUSE, CUT, SLOW, ONEWAY -> fault.nodes(nodes).forEach(node -> site.link(node).heal());
      case CATALOG, RECONFIGURE, REPLACE, OWNER, CLIENT, EVENTS -> throw fault.isOfNoSite();
    }
  }

  @Override
  public boolean isBalanced(int site) {
    return federation.sites().get(site).isBalanced();
  }

  @Override
  public boolean isDegraded(int site) {
    return federation.sites().get(site).isDegraded();
  }

  @Override
  public void close() {
    federation.close();
  }
}
