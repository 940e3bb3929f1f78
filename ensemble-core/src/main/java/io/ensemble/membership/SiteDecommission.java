package io.ensemble.membership;

import io.ensemble.Membership;
import io.ensemble.SiteInUseException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Decommissions a site: moves its caches away, then removes the site. The methods behave as those
 * of {@link Membership}. Thread-safe.
 */
public record SiteDecommission(CatalogView catalog, Alterations alterations, CachePlacer placing) {

  public List<CacheRelocation> drain(String site, SiteSelector choice) {
    catalog.known(site);
    departures(site, choice, catalog.entries(), catalog.stored());
    catalog.in(State.DRAINING, site);
    return departures(site, choice, catalog.entries(), catalog.stored());
  }

  public List<CacheRelocation> drain(String site) {
    return drain(site, new PlacementSiteSelector(placing));
  }

  /**
   * The caches that still have to leave a site that is being drained; empty if the drain was
   * cancelled. A cache whose record cannot be read does not prevent others from leaving.
   */
  public List<CacheRelocation> leaving(String site) {
    return catalog.entry(site).filter(now -> now.state() == State.DRAINING).isPresent()
        ? departures(
            site, new PlacementSiteSelector(placing), catalog.legibleEntries(), catalog.legible())
        : List.of();
  }

  private List<CacheRelocation> departures(
      String site,
      SiteSelector choice,
      List<SiteEntry> entries,
      Map<String, StoredDefinition> stored) {
    return new DrainPlanner(site, choice, catalog.uses(entries, stored)).of(stored.values());
  }

  public ChangeRun move(CacheRelocation leaving, long keysPerSecond) {
    StoredDefinition now =
        catalog
            .cache(leaving.cache())
            .orElseThrow(() -> new NoSuchElementException("no such cache: " + leaving.cache()));
    if (now.change().filter(change -> !change.isEnding()).isPresent()) {
      return alterations.join(now);
    }
    List<String> sites = now.definition().sites();
    boolean isThere =
        sites.equals(leaving.to()) || now.definition().siteNames().equals(leaving.to());
    if (!sites.equals(leaving.from()) && !isThere) {
      throw new CatalogException(
          CatalogException.Reason.CHANGED,
          "the cache was moved to other sites meanwhile; cache=%s expected=%s found=%s"
              .formatted(leaving.cache(), leaving.from(), sites));
    }
    return alterations.alter(now, now.definition().at(leaving.to()), keysPerSecond);
  }

  public void remove(String site) {
    SiteEntry entry = catalog.known(site);
    refuseUsed(entry);
    catalog.in(State.DRAINING, site);
    try {
      for (int i = 0; i < CatalogView.MOST_TRIES; i++) {
        SiteEntry drained = catalog.known(site);
        refuseUsed(drained);
        if (catalog.delete(drained)) {
          afterwards(drained, entry.state());
          return;
        }
      }
    } catch (SiteInUseException refused) {
      catalog.in(entry.state(), site); // No operator has requested more than the removal.
      throw refused;
    }
    throw CatalogView.others(site);
  }

  /**
   * Checks again after the removal: a creation that began before the draining may have ended only
   * now.
   */
  private void afterwards(SiteEntry gone, State before) {
    try {
      refuseUsed(gone);
    } catch (SiteInUseException late) {
      catalog.create(gone.in(before));
      throw late;
    }
    catalog.stored().values().forEach(cache -> forget(cache, gone.name()));
  }

  /**
   * Removes the site from the leftovers of former configurations, because no process can remove
   * stores at a site that is gone. The process that removes the other leftovers changes the record
   * meanwhile, so the update is retried. After the last retry the site stays named.
   */
  private void forget(StoredDefinition seen, String site) {
    Optional<StoredDefinition> now = Optional.of(seen);
    for (int i = 0; i < CatalogView.MOST_TRIES && now.isPresent(); i++) {
      StoredDefinition cache = now.get();
      Optional<ConfigurationChange> over = cache.change().filter(change -> hasLeft(change, site));
      if (over.isEmpty() || catalog.change(cache, over.get().without(site))) {
        return;
      }
      now = catalog.cache(cache.definition().name()).filter(cache::isSameBirth);
    }
  }

  private static boolean hasLeft(ConfigurationChange change, String site) {
    return change.isEnding()
        && change.remains().stream().anyMatch(r -> ReplicaName.siteOf(r.site()).equals(site));
  }

  private void refuseUsed(SiteEntry entry) {
    SiteUsage use = catalog.use(entry);
    if (!use.caches().isEmpty()) {
      throw new SiteInUseException(
          entry.name(),
          "caches are at the site; drain it first",
          use.caches(),
          use.only(),
          Map.of());
    }
  }
}
