package io.ensemble.check.faults;

import io.ensemble.catalog.CatalogAddress;
import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * A ZooKeeper in a process of its own, for a catalog, with faults: killed as by {@code kill -9}, or
 * paused.
 */
public final class FaultableCatalog implements FaultTarget, AutoCloseable {
  private final ZooKeeperProcess server;

  private FaultableCatalog(ZooKeeperProcess server) {
    this.server = server;
  }

  /**
   * Starts the server.
   *
   * @param directory the directory of the server's data and log
   * @throws CommandException if it does not start
   */
  public static FaultableCatalog start(Path directory) {
    try {
      return new FaultableCatalog(ZooKeeperProcess.start(directory, Ports.reserve(1)));
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new CommandException("the catalog cannot be started: " + e.getMessage(), e);
    }
  }

  /** The address of the catalog. */
  public String address() {
    return CatalogAddress.ofZooKeeper(server.connectString());
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of(TrialFaultKind.CATALOG);
  }

  @Override
  public void begin(PlannedFault fault) {
    if (fault.kills()) {
      server.kill();
    } else {
      server.pause();
    }
  }

  @Override
  public void end(PlannedFault fault) {
    if (fault.kills()) {
      server.restart();
    } else {
      server.resume();
    }
  }

  /** Ends the server. */
  @Override
  public void close() {
    server.close();
  }
}
