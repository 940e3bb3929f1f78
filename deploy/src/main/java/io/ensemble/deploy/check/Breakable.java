package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import java.util.List;
import java.util.Set;

/**
 * Sites that can be broken and mended. One thread breaks and mends; the calls wait until the thing
 * is done.
 */
public interface Breakable extends AutoCloseable {

  /** Where the sites are, in the order in which plans number them. */
  List<Place> places();

  /** How many nodes each site has. */
  int nodes();

  /** What can be done to them. */
  Set<FaultKind> kinds();

  /** Whether a site that was killed comes back with what it held. */
  boolean killedSitesRemember();

  /** Begins a fault. */
  void begin(PlannedFault fault);

  /** Ends it: processes that died run again, connections work. */
  void end(PlannedFault fault);

  /** Whether the nodes of that site hold what they are to hold, after one has come back. */
  boolean isBalanced(int site);

  /** Stops the sites, if they were started for this. */
  @Override
  void close();
}
