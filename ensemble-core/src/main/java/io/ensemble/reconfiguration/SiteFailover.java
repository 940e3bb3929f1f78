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
 * @param recoveringKeys which sites of which caches are being recovered here
 */
public record SiteFailover(
    ManagerContext federation, Catalog catalog, OpenCaches caches, Set<String> recoveringKeys) {

  public SiteFailover(ManagerContext federation, Catalog catalog, OpenCaches caches) {
    this(federation, catalog, caches, ConcurrentHashMap.newKeySet());
  }

  /** Makes the cache, which {@code managedCache} has open, continue at {@code site} alone. */
  public PrimaryTerm goOn(
      ManagedCache managedCache, String site, String otherSite, Duration timeout) {
    StoredDefinition stored = readStored(managedCache);
    CacheDefinition cache = stored.definition();
    ManagedCache.checkSite(cache, site);
    ManagedCache.checkSite(cache, otherSite);
    PromotableEngine engine = managedCache.promotable();
    if (site.equals(otherSite) || cache.sites().size() != 2) {
      throw new IllegalArgumentException(
          ("only a cache at two sites can continue at one without the other; a cache at more sites "
                  + "fails over automatically; cache=%s sites=%s site=%s without=%s")
              .formatted(cache.name(), cache.sites(), site, otherSite));
    }
    refuseDuringChange(stored, change -> !change.isEnding());
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    Duration longest = timeout.plus(Catalog.REMOVAL);
    managedCache.follow(
        caches.waitFor(
            () -> catalog.goOnAt(stored, site, (DynamicQuorumEngine) engine, deadline), longest));
    return caches.waitFor(() -> engine.promote(site, deadline), longest);
  }

  /** Makes the site the primary of the cache, which {@code managedCache} has open. */
  public PrimaryTerm promote(ManagedCache managedCache, String site, Duration timeout) {
    ManagedCache.checkSite(managedCache.faces().definition(), site);
    PromotableEngine engine = managedCache.promotable();
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    return caches.waitFor(() -> engine.promote(site, deadline), timeout.plus(Catalog.REMOVAL));
  }

  /**
   * As {@link #recover} for a lost store, unless this process is recovering it already. For
   * automatic use: it fails if another process has changed the record meanwhile.
   */
  public Optional<Long> refill(
      ManagedCache managedCache, StoredDefinition expected, String site, Duration timeout) {
    return recoveringKeys.contains(key(expected, site))
        ? Optional.empty()
        : Optional.of(
            runRecovery(
                expected,
                site,
                () ->
                    recoverNow(
                        managedCache, expected, site, timeout, FormerStorePolicy.MUST_BE_LOST)));
  }

  private static String key(StoredDefinition cache, String site) {
    return site + " " + cache.definition().name();
  }

  /**
   * Gives the cache {@code expected} a new store at {@code site}; returns the number of its keys.
   */
  public long recover(
      ManagedCache managedCache,
      StoredDefinition expected,
      String site,
      Duration timeout,
      FormerStorePolicy policy) {
    return runRecovery(
        expected,
        site,
        () -> {
          try {
            return recoverNow(managedCache, expected, site, timeout, policy);
          } catch (CatalogException exception) {
            // Perhaps another process has refilled the store meanwhile.
            if (exception.reason() != CatalogException.Reason.CHANGED) {
              throw exception;
            }
            return recoverNow(
                managedCache, expected, site, timeout, FormerStorePolicy.MUST_BE_LOST);
          }
        });
  }

  /**
   * Runs {@code recovery}. Meanwhile this process begins no automatic recovery of the same store.
   */
  private long runRecovery(StoredDefinition expected, String site, LongSupplier recovery) {
    boolean isFirst = recoveringKeys.add(key(expected, site));
    try {
      return recovery.getAsLong();
    } finally {
      if (isFirst) {
        recoveringKeys.remove(key(expected, site));
      }
    }
  }

  private long recoverNow(
      ManagedCache managedCache,
      StoredDefinition expected,
      String site,
      Duration timeout,
      FormerStorePolicy policy) {
    if (!managedCache.isOf(expected)) {
      throw new CacheDeletedException(expected.definition().name());
    }
    StoredDefinition stored = readStored(managedCache);
    ManagedCache.checkSite(stored.definition(), site);
    refuseDuringChange(stored, change -> stored.isRefillRefused());
    if (!(managedCache.faces().engine() instanceof RecoverableEngine engine)) {
      throw new UnsupportedOperationException(
          "the engine of this mode cannot recover a site; mode=" + stored.definition().mode());
    }
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    Duration longest = timeout.plus(Catalog.REMOVAL);
    Catalog.RecoveryResult recovered;
    try {
      recovered =
          caches.waitFor(() -> catalog.recover(stored, site, policy, engine, deadline), longest);
    } catch (StoreIntactException exception) {
      if (isServed(engine)) { // Otherwise the store stays as it is, filled or not.
        awaitFilled(
            stored, site, engine, deadline, longest); // Perhaps an earlier call was interrupted.
      }
      throw exception;
    }
    managedCache.follow(recovered.stored());
    managedCache.renew(recovered.stored(), site);
    caches.waitFor(managedCache::whenStoresAreSettled, ManagedCache.SETTLING);
    return stored.roll().equals(recovered.stored().roll())
        ? recovered.keys()
        : awaitFilled(recovered.stored(), site, engine, deadline, longest);
  }

  private static void refuseDuringChange(
      StoredDefinition stored, Predicate<ConfigurationChange> isConflicting) {
    stored
        .change()
        .filter(isConflicting)
        .ifPresent(
            change -> {
              throw new ChangeInProgressException(stored.definition(), change.to());
            });
  }

  private boolean isServed(RecoverableEngine engine) {
    try {
      Duration longest = OpenCaches.LONGEST_LOOKUP;
      Deadline limit = Deadline.after(longest, federation.scheduler());
      return engine instanceof PromotableEngine promotableEngine
          && caches.waitFor(() -> promotableEngine.term(limit), longest.plus(Catalog.REMOVAL))
              != null;
    } catch (QuorumUnavailableException exception) {
      return false;
    }
  }

  /**
   * Waits until {@code site} is filled, if it counted again before that; returns the number of its
   * keys.
   */
  private long awaitFilled(
      StoredDefinition stored,
      String site,
      RecoverableEngine engine,
      Deadline deadline,
      Duration longest) {
    return stored.roll().number() > 1 && engine instanceof DynamicQuorumEngine dynamicQuorumEngine
        ? caches.waitFor(() -> dynamicQuorumEngine.filled(site, deadline), longest)
        : 0;
  }

  private StoredDefinition readStored(ManagedCache managedCache) {
    return caches.waitFor(managedCache.watch()::present, OpenCaches.LONGEST_LOOKUP);
  }
}
