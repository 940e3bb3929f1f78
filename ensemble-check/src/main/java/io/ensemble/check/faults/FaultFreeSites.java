package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;
import java.util.Set;

/** Sites without faults, which are not stopped; always balanced. */
public final class FaultFreeSites implements FaultableSites {
  private final List<SiteDescriptor> places;

  private FaultFreeSites(List<SiteDescriptor> places) {
    this.places = List.copyOf(places);
  }

  /** Sites at {@code places} that another process runs. */
  public static FaultFreeSites ofSomebody(List<SiteDescriptor> places) {
    return new FaultFreeSites(places);
  }

  /**
   * A replacement for sites, used when the client processes are the cluster themselves. A process
   * that replaces another one is not ready before all are balanced, so these sites always are.
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
    throw new UnsupportedOperationException(
        "faults cannot be injected into an existing federation: " + fault);
  }

  @Override
  public void end(PlannedFault fault) {
    throw new UnsupportedOperationException(
        "faults cannot be repaired in an existing federation: " + fault);
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
    // The sites continue to run.
  }
}
