package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.link.LineReport;
import java.util.List;
import java.util.Set;

/** Sites that somebody else runs: nothing can be broken there, and nothing is stopped. */
public final class UserSites implements Breakable {
  private final List<Place> places;

  /** The sites at {@code places}. */
  public UserSites(List<Place> places) {
    this.places = List.copyOf(places);
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
