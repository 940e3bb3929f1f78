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

/** Sites as a catalog tells of them. Each call waits, at most a minute. */
public final class SitesInCatalog {

  private static final long PATIENCE_SECONDS = 60;
  private static final int TRIES = 5;

  private SitesInCatalog() {}

  /**
   * The federation whose catalog is at {@code address}.
   *
   * @throws CommandException if it cannot be had, or knows of no site
   */
  public static FederationDescriptor state(String address) {
    checkThere(address);
    List<SiteEntry> sites = entries(address);
    if (sites.isEmpty()) {
      throw new CommandException("the catalog knows of no site; catalog=" + address);
    }
    return state(address, sites);
  }

  /**
   * For who only reads.
   *
   * @throws CommandException if a directory is meant, and no catalog is in it: nothing is made
   *     there
   */
  public static void checkThere(String address) {
    if (CatalogAddress.isMissing(address)) {
      throw new CommandException("there is no catalog at '%s'".formatted(address));
    }
  }

  /**
   * All sites that the catalog has.
   *
   * @throws CommandException if it cannot be had
   */
  public static List<SiteEntry> entries(String address) {
    return in(address, entries -> got(address, entries.all()));
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
   * Enters sites; those that are there get the endpoints that they have now, and how they are
   * entered.
   *
   * @param labels of each; none leaves those that they have
   * @throws CommandException if it cannot be had
   */
  static void enter(String address, List<SiteDescriptor> sites, Map<String, String> labels) {
    in(
        address,
        entries -> {
          sites.forEach(site -> enter(address, entries, site.entry().labelled(labels)));
          return true;
        });
  }

  /**
   * Gives a site labels, besides those that it has.
   *
   * @throws CommandException if there is no such site, or labels cannot be so
   */
  static void label(String address, String site, Map<String, String> labels) {
    in(
        address,
        entries -> {
          for (int tries = 0; tries < TRIES; tries++) {
            SiteEntry there =
                got(address, entries.get(site))
                    .orElseThrow(() -> new CommandException("no such site: '" + site + "'"));
            Map<String, String> all = new TreeMap<>(there.labels());
            all.putAll(labels);
            if (all.equals(there.labels()) || got(address, entries.replace(there.labelled(all)))) {
              return true;
            }
          }
          throw changing(address, site);
        });
  }

  private static CommandException changing(String address, String site) {
    return new CommandException(
        "others change the site's record again and again; site=%s catalog=%s"
            .formatted(site, address));
  }

  private static void enter(String address, SiteEntries entries, SiteEntry site) {
    for (int tries = 0; tries < TRIES; tries++) {
      Optional<SiteEntry> there = got(address, entries.get(site.name()));
      boolean done =
          there.isEmpty()
              ? got(address, entries.create(site))
              : got(address, entries.replace(renewed(there.get(), site)));
      if (done) {
        return;
      }
    }
    throw changing(address, site.name());
  }

  private static SiteEntry renewed(SiteEntry there, SiteEntry now) {
    return new SiteEntry(
        there.name(),
        now.endpoints(),
        now.credentials(),
        now.tls(),
        there.storage(),
        now.labels().isEmpty() ? there.labels() : now.labels(),
        there.state(),
        there.revision() + 1);
  }

  private static <T> T in(String address, Function<SiteEntries, T> step) {
    try (RecordDefinitions catalog = CatalogAddress.open(address)) {
      return step.apply(catalog.sites());
    } catch (IllegalArgumentException | CatalogException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static <T> T got(String address, CompletionStage<T> stage) {
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
