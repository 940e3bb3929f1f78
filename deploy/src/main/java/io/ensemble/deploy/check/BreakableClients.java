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
  private final ObjectWorkers workers;
  private final Owners owners;
  private volatile @Nullable PlannedFault owner;
  private volatile int gap = -1;

  /**
   * @param sites have the node
   */
  BreakableClients(Breakable sites, ObjectWorkers workers, Owners owners) {
    this.sites = sites;
    this.workers = workers;
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
      case CLIENT -> uninterrupted(() -> gap = workers.killOne(fault.strength()));
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
      case CLIENT -> uninterrupted(() -> workers.fill(gap));
      case EVENTS -> workers.tell(ObjectProgram.HEAL);
      default -> throw new IllegalArgumentException("not done to clients: " + fault);
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
}
