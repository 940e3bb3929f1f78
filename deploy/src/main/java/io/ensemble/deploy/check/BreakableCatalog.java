package io.ensemble.deploy.check;

import io.ensemble.catalog.CatalogAddress;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * A ZooKeeper in a process of its own, for a catalog, which can be broken: killed as by {@code kill
 * -9}, or stopped where it stands.
 */
public final class BreakableCatalog implements FaultTarget, AutoCloseable {
  private final ZooKeeperProcess server;

  private BreakableCatalog(ZooKeeperProcess server) {
    this.server = server;
  }

  /**
   * Starts the server.
   *
   * @param directory where the server keeps what it holds, and its log
   * @throws CommandFailure if it does not start
   */
  public static BreakableCatalog start(Path directory) {
    try {
      return new BreakableCatalog(ZooKeeperProcess.start(directory, Ports.reserve(1)));
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new CommandFailure("the catalog does not start: " + e.getMessage(), e);
    }
  }

  /** The catalog's. */
  public String address() {
    return CatalogAddress.ofZooKeeper(server.connectString());
  }

  @Override
  public Set<FaultKind> kinds() {
    return Set.of(FaultKind.CATALOG);
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
