package io.ensemble.check.federation;

import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.process.CommandException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** The sites of a catalog. Each call blocks, at most 1 min. */
public final class SitesInCatalog {

  private static final long PATIENCE_SECONDS = 60;
  private static final int TRIES = 5;

  private SitesInCatalog() {}

  /**
   * The federation whose catalog is at {@code address}.
   *
   * @throws CommandException if the catalog cannot be read, or has no site
   */
  public static FederationDescriptor state(String address) {
    requireSites(address);
    List<SiteEntry> sites = entries(address);
    if (sites.isEmpty()) {
      throw new CommandException("the catalog has no site; catalog=" + address);
    }
    return state(address, sites);
  }

  /**
   * A check for commands that only read.
   *
   * @throws CommandException if the address is a directory without a catalog; none is created there
   */
  public static void requireSites(String address) {
    if (CatalogAddress.isMissing(address)) {
      throw new CommandException("there is no catalog at '%s'".formatted(address));
    }
  }

  /**
   * All sites of the catalog.
   *
   * @throws CommandException if the catalog cannot be read
   */
  public static List<SiteEntry> entries(String address) {
    return withCatalog(address, entries -> await(address, entries.all()));
  }

  /** A federation of {@code sites}, whose catalog is at {@code address}. */
  public static FederationDescriptor state(String address, List<SiteEntry> sites) {
    return new FederationDescriptor(
        FederationDescriptor.VERSION,
        0,
        null,
        sites.stream().map(SiteDescriptor::of).toList(),
        address);
  }

  /**
   * Enters sites; existing ones get the given endpoints and security.
   *
   * @param labels the labels of each; none keeps the present labels
   * @throws CommandException if the catalog cannot be used
   */
  static void enter(String address, List<SiteDescriptor> sites, Map<String, String> labels) {
    withCatalog(
        address,
        entries -> {
          sites.forEach(site -> enter(address, entries, site.entry().labelled(labels)));
          return true;
        });
  }

  /**
   * Adds labels to a site.
   *
   * @throws CommandException if there is no such site, or the labels are invalid
   */
  static void label(String address, String site, Map<String, String> labels) {
    withCatalog(
        address,
        entries -> {
          for (int tries = 0; tries < TRIES; tries++) {
            SiteEntry there =
                await(address, entries.get(site))
                    .orElseThrow(() -> new CommandException("no such site: '" + site + "'"));
            Map<String, String> all = new TreeMap<>(there.labels());
            all.putAll(labels);
            if (all.equals(there.labels())
                || await(address, entries.replace(there.labelled(all)))) {
              return true;
            }
          }
          throw conflictException(address, site);
        });
  }

  private static CommandException conflictException(String address, String site) {
    return new CommandException(
        "other processes changed the record of the site at each attempt; site=%s catalog=%s"
            .formatted(site, address));
  }

  private static void enter(String address, SiteEntries entries, SiteEntry site) {
    for (int tries = 0; tries < TRIES; tries++) {
      Optional<SiteEntry> existing = await(address, entries.get(site.name()));
      boolean done =
          existing.isEmpty()
              ? await(address, entries.create(site))
              : await(address, entries.replace(merged(existing.get(), site)));
      if (done) {
        return;
      }
    }
    throw conflictException(address, site.name());
  }

  private static SiteEntry merged(SiteEntry existing, SiteEntry update) {
    return new SiteEntry(
        existing.name(),
        update.endpoints(),
        update.credentials(),
        update.tls(),
        existing.storage(),
        update.labels().isEmpty() ? existing.labels() : update.labels(),
        existing.state(),
        existing.revision() + 1);
  }

  private static <T> T withCatalog(String address, Function<SiteEntries, T> step) {
    try (RecordDefinitions catalog = CatalogAddress.open(address)) {
      return step.apply(catalog.sites());
    } catch (IllegalArgumentException | CatalogException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static <T> T await(String address, CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CatalogException why) {
        throw why;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new CommandException("the catalog does not answer; catalog=" + address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted", e);
    }
  }
}
