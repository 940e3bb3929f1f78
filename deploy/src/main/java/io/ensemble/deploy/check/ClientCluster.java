package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.link.LineReport;
import java.util.List;
import java.util.Set;

/**
 * In place of sites: the client processes are a cluster themselves. Whoever takes another's place
 * is not ready before all are in balance, so that this one always is.
 */
public record ClientCluster() implements Breakable {

  @Override
  public List<Place> places() {
    return List.of(new Place("clients", List.of("127.0.0.1:0")));
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
    throw new IllegalStateException("there are no sites; came " + fault);
  }

  @Override
  public void end(PlannedFault fault) {
    throw new IllegalStateException("there are no sites; came " + fault);
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
  public void close() {}
}
