package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Restarts every node of every site, one after the other, as operators do. The next node is stopped
 * when the replicas that the last one has lost are filled again and all sites are balanced. Every
 * second node is killed, the others are stopped in an orderly way. Used by one thread.
 */
final class RollingRestart {

  /** The kind of the events for one node. */
  static final String RESTART = "restart";

  /** Records events. */
  interface RestartLog {
    void note(String phase, String kind, String node, String what);
  }

  private final FaultableSites sites;
  private final List<String> names;
  private final RoundRepair roundRepair;
  private final RestartLog log;
  private final BooleanSupplier isRunning;
  private final CountDownLatch never = new CountDownLatch(1);

  /**
   * @param isRunning whether another node may be restarted
   */
  RollingRestart(
      FaultableSites sites, RoundRepair roundRepair, RestartLog log, BooleanSupplier isRunning) {
    this.sites = sites;
    this.names = sites.places().stream().map(SiteDescriptor::name).toList();
    this.roundRepair = roundRepair;
    this.log = log;
    this.isRunning = isRunning;
  }

  /**
   * Restarts the nodes.
   *
   * @return whether all were restarted; false if it was stopped between two of them
   * @throws IllegalStateException if the replicas of a node could not be filled in time
   */
  boolean perform(PlannedFault fault) throws InterruptedException {
    int nodes = sites.nodes();
    for (int number = 0; number < names.size() * nodes; number++) {
      if (!isRunning.getAsBoolean()) {
        return false;
      }
      restart(fault.restartOf(number / nodes, number % nodes, number));
    }
    return true;
  }

  private void restart(PlannedFault restart) throws InterruptedException {
    String node = names.get(restart.site()) + "-" + restart.node();
    String what = restart.words(names.get(restart.site()));
    log.note(FaultEvent.BEGIN, RESTART, node, what);
    sites.begin(restart);
    never.await(restart.forMillis(), TimeUnit.MILLISECONDS);
    sites.end(restart);
    log.note(FaultEvent.END, RESTART, node, what);
    OptionalLong keys = roundRepair.repairRestarted(restart.site());
    if (keys.isPresent()) {
      log.note(FaultEvent.REFILLED, RESTART, node, "%s, %d keys".formatted(what, keys.getAsLong()));
    } else {
      log.note(FaultEvent.BALANCED, RESTART, node, what);
    }
  }
}
