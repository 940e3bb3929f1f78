package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.link.LineReport;
import java.util.List;
import java.util.Set;

/** Sites that nothing can be done to here, and that are not stopped; always balanced. */
public final class UntouchedSites implements Breakable {
  private final List<Place> places;

  private UntouchedSites(List<Place> places) {
    this.places = List.copyOf(places);
  }

  /** Those at {@code places}, which somebody else runs. */
  public static UntouchedSites ofSomebody(List<Place> places) {
    return new UntouchedSites(places);
  }

  /**
   * In place of sites: the client processes are a cluster themselves. Whoever takes another's place
   * is not ready before all are in balance, so that this one always is.
   */
  public static UntouchedSites ofClients() {
    return new UntouchedSites(List.of(new Place("clients", List.of("127.0.0.1:0"))));
  }

  @Override
  public List<Place> places() {
    return places;
  }

  @Override
  public int nodes() {
    return 1;
  }

  @Override
  public Set<FaultKind> kinds() {
    return Set.of();
  }

  @Override
  public boolean killedSitesRemember() {
    return false;
  }

  @Override
  public List<LineReport> lines() {
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
