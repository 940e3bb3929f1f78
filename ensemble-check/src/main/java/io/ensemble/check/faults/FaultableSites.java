package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;

/** Sites that can be broken and mended. */
public interface FaultableSites extends FaultTarget, AutoCloseable {

  /** Where the sites are, in the order in which plans number them. */
  List<SiteDescriptor> places();

  /** How many nodes each site has. */
  int nodes();

  /** Whether a site that was killed comes back with what it held. */
  boolean killedSitesRemember();

  /** What the lines to sites that are not near were measured to give; empty where all are near. */
  List<SiteLinkReport> lines();

  /** Whether the nodes of that site hold what they are to hold, after one has come back. */
  boolean isBalanced(int site);

  /**
   * Whether a store of that site misses too many of its nodes and refuses everyone; once all nodes
   * are back, for good.
   */
  boolean isDegraded(int site);

  /** Stops the sites, if they were started for this. */
  @Override
  void close();
}
