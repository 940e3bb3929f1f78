package io.ensemble.check.federation;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.process.ProcessSecurity;
import io.ensemble.testkit.zookeeper.ZooKeeperNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A federation of local sites that other processes can find, until it is closed. Closing is
 * thread-safe and idempotent.
 */
public final class RunningFederation implements AutoCloseable {

  private final LocalFederation sites;
  private final ZooKeeperNode catalog;
  private final @Nullable EnsembleCacheManager maintenance;
  private final FederationFile.Claim claim;
  private final FederationDescriptor state;
  private boolean closed;

  private RunningFederation(
      LocalFederation sites,
      ZooKeeperNode catalog,
      @Nullable EnsembleCacheManager maintenance,
      FederationFile.Claim claim,
      FederationDescriptor state) {
    this.sites = sites;
    this.catalog = catalog;
    this.maintenance = maintenance;
    this.claim = claim;
    this.state = state;
  }

  /**
   * Starts the federation, and publishes it when every node answers. Its catalog, a ZooKeeper in
   * this process, is stored with the entries of the sites, if they are on disk.
   *
   * @param claim closed with this, or when this fails
   * @throws io.ensemble.check.process.CommandException if it cannot be started
   */
  public static RunningFederation start(
      FederationFile.Claim claim, LocalPlan plan, Consumer<String> progress) {
    return start(claim, plan, false, progress);
  }

  /**
   * As the other method.
   *
   * @param maintains whether this process runs maintenance for the sites; otherwise perhaps no
   *     process does
   */
  public static RunningFederation start(
      FederationFile.Claim claim, LocalPlan plan, boolean maintains, Consumer<String> progress) {
    try {
      // The sites first: they lock the directory against another federation.
      LocalFederation sites = LocalSites.start(plan, claim.scratch(), progress);
      try {
        ZooKeeperNode catalog = catalog(claim, plan);
        try {
          String address = address(catalog, sites);
          SitesInCatalog.enter(address, sites.places(), Map.of());
          return new RunningFederation(
              sites,
              catalog,
              maintains ? maintenance(address) : null,
              claim,
              claim.publish(sites.places(), address));
        } catch (RuntimeException | Error e) {
          catalog.close();
          throw e;
        }
      } catch (RuntimeException | Error e) {
        sites.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      claim.close();
      throw e;
    }
  }

  /** A process that runs maintenance for the sites of the catalog at {@code address}. */
  static EnsembleCacheManager maintenance(String address) {
    return EnsembleCacheManager.builder().catalog(address).maintenance(true).build();
  }

  /**
   * Adds labels to a site in the catalog.
   *
   * @throws CommandException if there is no such site, or the labels are invalid
   */
  public void label(String site, Map<String, String> labels) {
    SitesInCatalog.label(state.catalog(), site, labels);
  }

  private static String address(ZooKeeperNode catalog, LocalFederation sites) {
    String open = CatalogAddress.ofZooKeeper(catalog.connectString());
    return sites.catalogAccess().map(file -> CatalogAddress.with(file, open)).orElse(open);
  }

  private static ZooKeeperNode catalog(FederationFile.Claim claim, LocalPlan plan) {
    Path data = plan.data();
    Path directory =
        data == null ? claim.catalog() : data.toAbsolutePath().normalize().resolve("catalog");
    try {
      if (plan.security() != ProcessSecurity.OPEN) {
        OwnerOnlyFiles.entered(directory);
      }
      return ZooKeeperNode.start(directory, Ports.reserve(1));
    } catch (IOException e) {
      throw new CommandException(
          "the catalog cannot use its directory; directory=%s: %s".formatted(directory, e), e);
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new CommandException(
          "the catalog cannot be started; directory=%s: %s".formatted(directory, e.getMessage()),
          e);
    }
  }

  /** Its sites, for tests that inject faults. */
  public LocalFederation sites() {
    return sites;
  }

  /** The measured delay and bandwidth of the links to sites that are not local. */
  public List<SiteLinkReport> lines() {
    return sites.lines();
  }

  /** The description of the federation for other processes. */
  public FederationDescriptor state() {
    return state;
  }

  /** Hides the federation first, so that no process finds one that is about to stop. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      claim.hide();
      if (maintenance != null) {
        maintenance.close();
      }
      try (claim;
          sites) {
        catalog.close();
      }
    }
  }
}
