package io.ensemble.deploy.check;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client processes of atomic objects, which can be killed, and kept from hearing of changes as
 * they should; and the node that an object depends on most.
 */
final class BreakableClients implements FaultTarget {

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
  private final KillableWorkers workers;
  private final Replacement clients;
  private final Owners owners;
  private volatile @Nullable PlannedFault owner;

  /**
   * @param sites have the node
   */
  BreakableClients(Breakable sites, KillableWorkers workers, Owners owners) {
    this.sites = sites;
    this.workers = workers;
    this.clients = new Replacement(workers);
    this.owners = owners;
  }

  @Override
  public Set<FaultKind> kinds() {
    return Set.of(FaultKind.OWNER, FaultKind.CLIENT, FaultKind.EVENTS);
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case OWNER -> {
        PlannedFault node = fault.ofNode(owners.of(fault.strength()));
        owner = node;
        sites.begin(node);
      }
      case CLIENT -> clients.kill(fault.strength());
      case EVENTS -> workers.tell(ObjectProgram.SPOIL);
      default -> throw new IllegalArgumentException("not done to clients: " + fault);
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
      case CLIENT -> clients.fill();
      case EVENTS -> workers.tell(ObjectProgram.HEAL);
      default -> throw new IllegalArgumentException("not done to clients: " + fault);
    }
  }
}
