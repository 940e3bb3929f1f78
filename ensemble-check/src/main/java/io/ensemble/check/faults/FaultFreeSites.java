package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;
import java.util.Set;

/** Sites that nothing can be done to here, and that are not stopped; always balanced. */
public final class FaultFreeSites implements FaultableSites {
  private final List<SiteDescriptor> places;

  private FaultFreeSites(List<SiteDescriptor> places) {
    this.places = List.copyOf(places);
  }

  /** Those at {@code places}, which somebody else runs. */
  public static FaultFreeSites ofSomebody(List<SiteDescriptor> places) {
    return new FaultFreeSites(places);
  }

  /**
   * In place of sites: the client processes are a cluster themselves. Whoever takes another's place
   * is not ready before all are in balance, so that this one always is.
   */
  public static FaultFreeSites ofClients() {
    return new FaultFreeSites(List.of(new SiteDescriptor("clients", List.of("127.0.0.1:0"))));
  }

  @Override
  public List<SiteDescriptor> places() {
    return places;
  }

  @Override
  public int nodes() {
    return 1;
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of();
  }

  @Override
  public boolean killedSitesRemember() {
    return false;
  }

  @Override
  public List<SiteLinkReport> lines() {
    return List.of();
  }

  @Override
  public void begin(PlannedFault fault) {
    throw new UnsupportedOperationException("these sites are not ours to break: " + fault);
  }

  @Override
  public void end(PlannedFault fault) {
    throw new UnsupportedOperationException("these sites are not ours to mend: " + fault);
  }

  @Override
  public boolean isBalanced(int site) {
    return true;
  }

  @Override
  public boolean isDegraded(int site) {
    return false;
  }

  @Override
  public void close() {
    // They go on.
  }
}
