package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Sites, and another target of faults. */
public final class CompositeSites implements FaultableSites {
  private final FaultableSites sites;
  private final FaultTarget otherTarget;

  /**
   * @param sites the sites; not closed with this
   * @param more receives the faults of its kinds, the sites all others
   */
  public CompositeSites(FaultableSites sites, FaultTarget more) {
    this.sites = sites;
    this.otherTarget = more;
  }

  @Override
  public List<SiteDescriptor> places() {
    return sites.places();
  }

  @Override
  public int nodes() {
    return sites.nodes();
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    Set<TrialFaultKind> kinds = EnumSet.copyOf(otherTarget.kinds());
    kinds.addAll(sites.kinds());
    return kinds;
  }

  @Override
  public boolean killedSitesRemember() {
    return sites.killedSitesRemember();
  }

  @Override
  public List<SiteLinkReport> lines() {
    return sites.lines();
  }

  private FaultTarget target(PlannedFault fault) {
    return otherTarget.kinds().contains(fault.kind()) ? otherTarget : sites;
  }

  @Override
  public void begin(PlannedFault fault) {
    target(fault).begin(fault);
  }

  @Override
  public void end(PlannedFault fault) {
    target(fault).end(fault);
  }

  @Override
  public boolean isBalanced(int site) {
    return sites.isBalanced(site);
  }

  @Override
  public boolean isDegraded(int site) {
    return sites.isDegraded(site);
  }

  /** The sites and the other target continue to run. */
  @Override
  public void close() {}
}
