package io.ensemble.reconfiguration;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.ChangeInProgressException;
import io.ensemble.FormerStorePolicy;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.PromotableEngine;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.manager.ManagedCache;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Fails over caches whose site is lost, and recovers sites that are back. Thread-safe.
 *
 * @param recovering which sites of which caches are being recovered here
 */
public record SiteFailover(
    ManagerContext federation, Catalog catalog, OpenCaches caches, Set<String> recovering) {

  public SiteFailover(ManagerContext federation, Catalog catalog, OpenCaches caches) {
    this(federation, catalog, caches, ConcurrentHashMap.newKeySet());
  }

  /** Makes the cache, which {@code here} has open, continue at {@code site} alone. */
  public PrimaryTerm goOn(ManagedCache here, String site, String without, Duration timeout) {
    StoredDefinition stored = present(here);
    CacheDefinition cache = stored.definition();
    ManagedCache.checkSite(cache, site);
    ManagedCache.checkSite(cache, without);
    PromotableEngine engine = here.promotable();
    if (site.equals(without) || cache.sites().size() != 2) {
      throw new IllegalArgumentException(
          ("only a cache at two sites can continue at one without the other; a cache at more sites "
                  + "fails over automatically; cache=%s sites=%s site=%s without=%s")
              .formatted(cache.name(), cache.sites(), site, without));
    }
    refuseBeside(stored, change -> !change.isEnding());
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    Duration longest = timeout.plus(Catalog.REMOVAL);
    here.follow(
        caches.waitFor(
            () -> catalog.goOnAt(stored, site, (DynamicQuorumEngine) engine, deadline), longest));
    return caches.waitFor(() -> engine.promote(site, deadline), longest);
  }

  /** Makes the site the primary of the cache, which {@code here} has open. */
  public PrimaryTerm promote(ManagedCache here, String site, Duration timeout) {
    ManagedCache.checkSite(here.faces().definition(), site);
    PromotableEngine engine = here.promotable();
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    return caches.waitFor(() -> engine.promote(site, deadline), timeout.plus(Catalog.REMOVAL));
  }

  /**
   * As {@link #recover} for a lost store, unless this process is recovering it already. For
   * automatic use: it fails if another process has changed the record meanwhile.
   */
  public Optional<Long> refill(
      ManagedCache here, StoredDefinition wanted, String site, Duration timeout) {
    return recovering.contains(key(wanted, site))
        ? Optional.empty()
        : Optional.of(
            alone(
                wanted,
                site,
                () -> recoveredNow(here, wanted, site, timeout, FormerStorePolicy.MUST_BE_LOST)));
  }

  private static String key(StoredDefinition cache, String site) {
    return site + " " + cache.definition().name();
  }

  /** Gives the cache {@code wanted} a new store at {@code site}; returns the number of its keys. */
  public long recover(
      ManagedCache here,
      StoredDefinition wanted,
      String site,
      Duration timeout,
      FormerStorePolicy former) {
    return alone(
        wanted,
        site,
        () -> {
          try {
            return recoveredNow(here, wanted, site, timeout, former);
          } catch (CatalogException other) {
            // Perhaps another process has refilled the store meanwhile.
            if (other.reason() != CatalogException.Reason.CHANGED) {
              throw other;
            }
            return recoveredNow(here, wanted, site, timeout, FormerStorePolicy.MUST_BE_LOST);
          }
        });
  }

  /**
   * Runs {@code recovery}. Meanwhile this process begins no automatic recovery of the same store.
   */
  private long alone(StoredDefinition wanted, String site, LongSupplier recovery) {
    boolean isFirst = recovering.add(key(wanted, site));
    try {
      return recovery.getAsLong();
    } finally {
      if (isFirst) {
        recovering.remove(key(wanted, site));
      }
    }
  }

  private long recoveredNow(
      ManagedCache here,
      StoredDefinition wanted,
      String site,
      Duration timeout,
      FormerStorePolicy former) {
    if (!here.isOf(wanted)) {
      throw new CacheDeletedException(wanted.definition().name());
    }
    StoredDefinition stored = present(here);
    ManagedCache.checkSite(stored.definition(), site);
    refuseBeside(stored, change -> stored.isRefillRefused());
    if (!(here.faces().engine() instanceof RecoverableEngine engine)) {
      throw new UnsupportedOperationException(
          "the engine of this mode cannot recover a site; mode=" + stored.definition().mode());
    }
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    Duration longest = timeout.plus(Catalog.REMOVAL);
    Catalog.Recovered recovered;
    try {
      recovered =
          caches.waitFor(() -> catalog.recover(stored, site, former, engine, deadline), longest);
    } catch (StoreIntactException intact) {
      if (isServed(engine)) { // Otherwise the store stays as it is, filled or not.
        filled(stored, site, engine, deadline, longest); // Perhaps an earlier call was interrupted.
      }
      throw intact;
    }
    here.follow(recovered.stored());
    here.renew(recovered.stored(), site);
    caches.waitFor(here::whenStoresAreSettled, ManagedCache.SETTLING);
    return stored.roll().equals(recovered.stored().roll())
        ? recovered.keys()
        : filled(recovered.stored(), site, engine, deadline, longest);
  }

  private static void refuseBeside(StoredDefinition stored, Predicate<ConfigurationChange> which) {
    stored
        .change()
        .filter(which)
        .ifPresent(
            change -> {
              throw new ChangeInProgressException(stored.definition(), change.to());
            });
  }

  private boolean isServed(RecoverableEngine engine) {
    try {
      Duration longest = OpenCaches.LONGEST_LOOKUP;
      Deadline soon = Deadline.after(longest, federation.scheduler());
      return engine instanceof PromotableEngine terms
          && caches.waitFor(() -> terms.term(soon), longest.plus(Catalog.REMOVAL)) != null;
    } catch (QuorumUnavailableException silent) {
      return false;
    }
  }

  /**
   * Waits until {@code site} is filled, if it counted again before that; returns the number of its
   * keys.
   */
  private long filled(
      StoredDefinition stored,
      String site,
      RecoverableEngine engine,
      Deadline deadline,
      Duration longest) {
    return stored.roll().number() > 1 && engine instanceof DynamicQuorumEngine dynamicQuorumEngine
        ? caches.waitFor(() -> dynamicQuorumEngine.filled(site, deadline), longest)
        : 0;
  }

  private StoredDefinition present(ManagedCache here) {
    return caches.waitFor(here.watch()::present, OpenCaches.LONGEST_LOOKUP);
  }
}
