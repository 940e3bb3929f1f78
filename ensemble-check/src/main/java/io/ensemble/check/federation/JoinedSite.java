package io.ensemble.check.federation;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.process.CommandException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One more local site of a federation that runs elsewhere, entered in its catalog. Its process may
 * run maintenance, as others do. When the site is closed its entry stays, as that of a site that is
 * down does, because caches may be there. Closing is thread-safe and idempotent.
 */
public final class JoinedSite implements AutoCloseable {

  private final LocalFederation site;
  private final @Nullable EnsembleCacheManager maintenance;
  private boolean closed;

  private JoinedSite(LocalFederation site, @Nullable EnsembleCacheManager maintenance) {
    this.site = site;
    this.maintenance = maintenance;
  }

  /**
   * Starts the site, and enters it in the catalog when every node answers.
   *
   * @param catalog the address of the catalog
   * @param plan a plan of one site
   * @param maintains whether this process runs maintenance for the federation's sites, as others do
   * @param scratch the directory for the logs of its nodes if the plan names no directory
   * @throws CommandException if it cannot be started, or a site of its name answers already
   */
  public static JoinedSite start(
      String name,
      Map<String, String> labels,
      String catalog,
      LocalPlan plan,
      boolean maintains,
      Path scratch,
      Consumer<String> progress) {
    requireNotRunning(name, catalog);
    LocalFederation site = LocalSites.start(List.of(name), plan, scratch, progress);
    try {
      SitesInCatalog.enter(catalog, site.places(), labels);
      return new JoinedSite(site, maintains ? RunningFederation.maintenance(catalog) : null);
    } catch (RuntimeException | Error e) {
      site.close();
      throw e;
    }
  }

  private static void requireNotRunning(String name, String catalog) {
    List<SiteEntry> there =
        SitesInCatalog.entries(catalog).stream()
            .filter(entry -> entry.name().equals(name))
            .toList();
    if (!there.isEmpty()
        && SiteStatus.of(SitesInCatalog.state(catalog, there)).get(0).reachable()) {
      throw new CommandException(
          "a site of this name answers at %s; site=%s catalog=%s"
              .formatted(there.get(0).endpoints(), name, catalog));
    }
  }

  /** The site, and its endpoints. */
  public SiteDescriptor place() {
    return site.places().get(0);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      if (maintenance != null) {
        maintenance.close();
      }
      site.close();
    }
  }
}
