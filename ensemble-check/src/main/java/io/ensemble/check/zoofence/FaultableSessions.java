package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultTarget;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.trial.ClientReplacement;
import io.ensemble.check.trial.KillableClients;
import io.ensemble.check.znodes.ZooFenceProgram;
import io.ensemble.testkit.process.child.ProcessResumer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Client processes of ZooFence, which can be killed and paused, and whose sessions can be ended.
 */
final class FaultableSessions implements FaultTarget {
  private final KillableClients workers;
  private final ClientReplacement clients;
  private @Nullable ProcessResumer resumer;

  FaultableSessions(KillableClients workers) {
    this.workers = workers;
    this.clients = new ClientReplacement(workers);
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of(TrialFaultKind.CLIENT, TrialFaultKind.SESSION);
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case CLIENT -> clients.kill(fault.strength());
      case SESSION -> {
        if (fault.kills()) {
          workers.sendToOne(fault.strength(), ZooFenceProgram.EXPIRE);
        } else {
          resumer = workers.stopOne(fault.strength());
        }
      }
      default ->
          throw new IllegalArgumentException("the fault does not apply to clients: " + fault);
    }
  }

  @Override
  public void end(PlannedFault fault) {
    switch (fault.kind()) {
      case CLIENT -> clients.fill();
      case SESSION -> {
        ProcessResumer awakener = resumer;
        resumer = null;
        if (awakener != null) {
          awakener.close();
        }
      }
      default ->
          throw new IllegalArgumentException("the fault does not apply to clients: " + fault);
    }
  }
}
