package io.ensemble.deploy.check;

import io.ensemble.catalog.CatalogAddress;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.link.LineReport;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Sites, and a ZooKeeper in a process of its own for their catalog, which can be broken too: killed
 * as by {@code kill -9}, or stopped where it stands.
 */
public final class WithCatalog implements Breakable {
  private final Breakable sites;
  private final ZooKeeperProcess server;

  private WithCatalog(Breakable sites, ZooKeeperProcess server) {
    this.sites = sites;
    this.server = server;
  }

  /**
   * Starts the server.
   *
   * @param sites not closed with this
   * @param directory where the server keeps what it holds, and its log
   * @throws CommandFailure if it does not start
   */
  public static WithCatalog start(Breakable sites, Path directory) {
    try {
      return new WithCatalog(sites, ZooKeeperProcess.start(directory, Ports.reserve(1)));
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new CommandFailure("the catalog does not start: " + e.getMessage(), e);
    }
  }

  /** The catalog's. */
  public String address() {
    return CatalogAddress.ofZooKeeper(server.connectString());
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
    Set<FaultKind> kinds = EnumSet.of(FaultKind.CATALOG);
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
    if (fault.kind() != FaultKind.CATALOG) {
      sites.begin(fault);
    } else if (fault.kills()) {
      server.kill();
    } else {
      server.pause();
    }
  }

  @Override
  public void end(PlannedFault fault) {
    if (fault.kind() != FaultKind.CATALOG) {
      sites.end(fault);
    } else if (fault.kills()) {
      server.restart();
    } else {
      server.resume();
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

  /** Ends the server; the sites go on. */
  @Override
  public void close() {
    server.close();
  }
}
