package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.link.LineReport;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sites, and the client processes of atomic objects in them, which can be killed, and kept from
 * hearing of changes as they should.
 */
final class WithClients implements Breakable {

  /** Knows which node has a root. */
  interface Owners {
    /**
     * The node of the first site that is the primary owner of an object's root.
     *
     * @param choice says which object
     */
    int of(int choice);
  }

  private final Breakable sites;
  private final ObjectWorkers workers;
  private final Owners owners;
  private volatile @Nullable PlannedFault owner;
  private volatile int gap = -1;

  WithClients(Breakable sites, ObjectWorkers workers, Owners owners) {
    this.sites = sites;
    this.workers = workers;
    this.owners = owners;
  }

  @Override
  public List<Place> places() {
    return sites.places();
  }

  @Override
  public int nodes() {
    return sites.nodes();
  }

  @Override
  public Set<FaultKind> kinds() {
    Set<FaultKind> kinds = EnumSet.of(FaultKind.OWNER, FaultKind.CLIENT, FaultKind.EVENTS);
    kinds.addAll(sites.kinds());
    return kinds;
  }

  @Override
  public boolean killedSitesRemember() {
    return sites.killedSitesRemember();
  }

  @Override
  public List<LineReport> lines() {
    return sites.lines();
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case OWNER -> {
        PlannedFault node = fault.ofNode(owners.of(fault.strength()));
        owner = node;
        sites.begin(node);
      }
      case CLIENT -> uninterrupted(() -> gap = workers.killOne(fault.strength()));
      case EVENTS -> workers.tell(ObjectProgram.SPOIL);
      default -> sites.begin(fault);
    }
  }

  @Override
  public void end(PlannedFault fault) {
    switch (fault.kind()) {
      case OWNER -> {
        PlannedFault node = owner;
        if (node != null) {
          sites.end(node);
        }
      }
      case CLIENT -> uninterrupted(() -> workers.fill(gap));
      case EVENTS -> workers.tell(ObjectProgram.HEAL);
      default -> sites.end(fault);
    }
  }

  private interface Waiting {
    void run() throws InterruptedException;
  }

  private static void uninterrupted(Waiting step) {
    try {
      step.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a client process was replaced", e);
    }
  }

  @Override
  public boolean isBalanced(int site) {
    return sites.isBalanced(site);
  }

  @Override
  public boolean isDegraded(int site) {
    return sites.isDegraded(site);
  }

  /** The sites go on. */
  @Override
  public void close() {}
}
