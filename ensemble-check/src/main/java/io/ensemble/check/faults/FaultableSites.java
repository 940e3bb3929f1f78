package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;

/** Sites with faults and repairs. */
public interface FaultableSites extends FaultTarget, AutoCloseable {

  /** The sites and their addresses, in the order in which plans number them. */
  List<SiteDescriptor> places();

  /** The number of nodes of each site. */
  int nodes();

  /** Whether a killed site comes back with its former data. */
  boolean killedSitesRemember();

  /**
   * The measured delay and bandwidth of the links to sites that are not near; empty if all are
   * near.
   */
  List<SiteLinkReport> lines();

  /** Whether the nodes of that site hold their parts of the data, after one has come back. */
  boolean isBalanced(int site);

  /**
   * Whether a store of that site is in DEGRADED mode (partition handling) and refuses all
   * operations; once all nodes are back, permanently.
   */
  boolean isDegraded(int site);

  /** Stops the sites, if they were started for this. */
  @Override
  void close();
}
