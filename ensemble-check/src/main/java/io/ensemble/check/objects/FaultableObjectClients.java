package io.ensemble.check.objects;

import io.ensemble.check.faults.FaultTarget;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.trial.ClientReplacement;
import io.ensemble.check.trial.KillableClients;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client processes of atomic objects, which can be killed or receive faulty change events; and
 * the node that an object depends on most.
 */
final class FaultableObjectClients implements FaultTarget {

  /** Finds the node that owns a root. */
  interface RootOwnerLookup {
    /**
     * The node of the first site that is the primary owner of an object's root.
     *
     * @param choice selects the object
     */
    int of(int choice);
  }

  private final FaultableSites sites;
  private final KillableClients workers;
  private final ClientReplacement clients;
  private final RootOwnerLookup ownerLookup;
  private volatile @Nullable PlannedFault owner;

  /**
   * @param sites the sites with the node
   */
  FaultableObjectClients(
      FaultableSites sites, KillableClients workers, RootOwnerLookup ownerLookup) {
    this.sites = sites;
    this.workers = workers;
    this.clients = new ClientReplacement(workers);
    this.ownerLookup = ownerLookup;
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of(TrialFaultKind.OWNER, TrialFaultKind.CLIENT, TrialFaultKind.EVENTS);
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case OWNER -> {
        PlannedFault node = fault.ofNode(ownerLookup.of(fault.strength()));
        owner = node;
        sites.begin(node);
      }
      case CLIENT -> clients.kill(fault.strength());
      case EVENTS -> workers.send(ObjectProgram.SPOIL);
      default ->
          throw new IllegalArgumentException("the fault does not apply to clients: " + fault);
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
      case EVENTS -> workers.send(ObjectProgram.HEAL);
      default ->
          throw new IllegalArgumentException("the fault does not apply to clients: " + fault);
    }
  }
}
