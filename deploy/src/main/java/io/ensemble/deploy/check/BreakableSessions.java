package io.ensemble.deploy.check;

import io.ensemble.testkit.process.Awakener;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Client processes of ZooFence, which can be killed and stopped, and whose sessions can be ended.
 */
final class BreakableSessions implements FaultTarget {
  private final KillableWorkers workers;
  private final Replacement clients;
  private @Nullable Awakener stopped;

  BreakableSessions(KillableWorkers workers) {
    this.workers = workers;
    this.clients = new Replacement(workers);
  }

  @Override
  public Set<FaultKind> kinds() {
    return Set.of(FaultKind.CLIENT, FaultKind.SESSION);
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case CLIENT -> clients.kill(fault.strength());
      case SESSION -> {
        if (fault.kills()) {
          workers.tellOne(fault.strength(), ZooFenceProgram.EXPIRE);
        } else {
          stopped = workers.stopOne(fault.strength());
        }
      }
      default -> throw new IllegalArgumentException("not done to clients: " + fault);
    }
  }

  @Override
  public void end(PlannedFault fault) {
    switch (fault.kind()) {
      case CLIENT -> clients.fill();
      case SESSION -> {
        Awakener awakener = stopped;
        stopped = null;
        if (awakener != null) {
          awakener.close();
        }
      }
      default -> throw new IllegalArgumentException("not done to clients: " + fault);
    }
  }
}
