package io.ensemble.maintenance;

import io.ensemble.StoreIntactException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.manager.ManagedCache;
import io.ensemble.site.Site;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refills stores of the caches that are open here when a node has lost them. A node that keeps its
 * stores in memory loses them when it is restarted. Without refills, restarting one node after the
 * other would destroy a cache. Therefore every process that has the cache open refills, unless this
 * is switched off. If several processes have the cache open, a single one refills a store, by a
 * lease in the catalog ({@link RefillLeases}). If two do, the catalog takes one of the stores, and
 * the other is removed.
 *
 * <p>A store is refilled when the {@link StoreChecker} has not found it for four seconds, or for a
 * minute if the site is on disk. A random time of up to two seconds is added. Without leases in the
 * catalog the random time is up to ten seconds. After a failure the refill is retried when a pause
 * has passed. Runs on a single thread, which may block.
 */
public final class StoreRefiller implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreRefiller.class);
  private static final int BEATS = 2;

  /**
   * Random delay, in beats, so that not all processes ask the catalog for the lease at the same
   * time.
   */
  private static final int BEATS_OF_CHANCE = 1;

  /**
   * Longer random delay, in beats, so that one of several processes has finished when the next one
   * would begin.
   */
  private static final int BEATS_OF_CHANCE_WITHOUT_LEASES = 5;

  private final SiteMaintenance.Means means;
  private final ThreadPoolExecutor executor;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);
  private final MaintenanceRetry maintenanceRetry;
  private final RefillLeases leases;

  /**
   * When a missing store becomes due for refilling, by site and cache. Used only by the worker
   * thread.
   */
  private final Map<String, Long> dueAtNanos = new HashMap<>();

  public StoreRefiller(SiteMaintenance.Means means) {
    this.means = means;
    this.maintenanceRetry = new MaintenanceRetry(maintenanceFailureLog, this::nanos);
    this.leases = new RefillLeases(means.federation(), means.caches(), newOwner(), means.beat());
    this.executor = StoreChecker.newExecutor("ensemble-refilling");
  }

  private String newOwner() {
    return "%016x%016x"
        .formatted(means.federation().random().nextLong(), means.federation().random().nextLong());
  }

  /**
   * Refills the stores that are due, unless a refill is running. Returns immediately.
   *
   * @param openCaches the caches that are open here
   */
  void refill(Set<String> openCaches, StoreChecker.StoreCheckResult checked) {
    try {
      executor.execute(() -> refillMissing(Set.copyOf(openCaches), checked));
    } catch (RejectedExecutionException rejection) {
      LOG.trace("a store is being refilled");
    }
  }

  private void refillMissing(Set<String> openCaches, StoreChecker.StoreCheckResult checked) {
    maintenanceRetry.keep(openCaches);
    Set<String> stores = new HashSet<>();
    checked
        .bySite()
        .forEach(
            (site, siteCaches) ->
                siteCaches.forEach(cache -> stores.add(storeSuffix(site, cache))));
    leases.retain(stores);
    dueAtNanos
        .keySet()
        .removeIf(
            key ->
                checked.bySite().entrySet().stream()
                    .noneMatch(
                        siteEntry ->
                            siteEntry.getValue().stream()
                                .anyMatch(cache -> key.equals(key(siteEntry.getKey(), cache)))));
    for (Map.Entry<String, List<StoredDefinition>> siteEntry : checked.bySite().entrySet()) {
      Set<String> presentStores = checked.presentStores().get(siteEntry.getKey());
      if (presentStores != null
          && refillIfDue(siteEntry.getKey(), siteEntry.getValue(), presentStores)) {
        return; // The refill took a while: other stores that were missing may exist by now.
      }
    }
  }

  private static String key(String site, StoredDefinition cache) {
    return site + " " + cache.store(site).orElse("");
  }

  private boolean refillIfDue(
      String site, List<StoredDefinition> siteCaches, Set<String> presentStores) {
    return siteCaches.stream().anyMatch(cache -> refillIfDue(site, cache, presentStores));
  }

  /** Whether a refill of the store was attempted. */
  private boolean refillIfDue(String site, StoredDefinition cache, Set<String> presentStores) {
    String key = key(site, cache);
    if (cache.store(site).filter(presentStores::contains).isPresent()) {
      dueAtNanos.remove(key);
      return false;
    }
    long beat = means.beat().toNanos();
    int maxBeats = leases.areLeased() ? BEATS_OF_CHANCE : BEATS_OF_CHANCE_WITHOUT_LEASES;
    long randomDelayNanos = (long) (means.federation().random().nextDouble() * maxBeats * beat);
    long waitNanos = isOnDisk(site) ? SiteMaintenance.MISSING_ON_DISK.toNanos() : BEATS * beat;
    Long dueNanos = dueAtNanos.putIfAbsent(key, nanos() + waitNanos + randomDelayNanos);
    if (dueNanos != null && nanos() - dueNanos >= 0 && SiteStoreProbe.canFill(means, cache, site)) {
      String name = cache.definition().name();
      AtomicBoolean isAttempted = new AtomicBoolean();
      maintenanceRetry.attempt(
          new MaintenanceFailureLog.Step(name, "refill at " + site),
          StoreChecker.ignoreCancellation(
              () -> {
                String store = storeSuffix(site, cache);
                if (!leases.acquire(store)) {
                  return; // Another process refills the store.
                }
                isAttempted.set(true);
                try {
                  refill(site, cache);
                } finally {
                  leases.release(store);
                }
                dueAtNanos.remove(key);
              }));
      return isAttempted.get();
    }
    return false;
  }

  /** The store's name without that of its cache, which may be long. */
  private static String storeSuffix(String site, StoredDefinition cache) {
    String store = cache.store(site).orElse(site);
    return store.substring(Math.min(store.length(), cache.definition().name().length()));
  }

  /** Whether the site is on disk. A node that starts from its disk reports no stores at first. */
  private boolean isOnDisk(String site) {
    return means.federation().sites().find(site).filter(Site::isOnDisk).isPresent();
  }

  private void refill(String site, StoredDefinition cache) {
    String name = cache.definition().name();
    Optional<ManagedCache> openCache =
        means.caches().get(name).filter(managedCache -> managedCache.isOf(cache));
    if (openCache.isEmpty()) {
      return;
    }
    try {
      means
          .changes()
          .refill(openCache.get(), cache, site, SiteMaintenance.LONGEST_RECOVERY)
          .ifPresent(
              keys ->
                  LOG.info(
                      "a node had lost a store, the store was refilled; site={} cache={} keys={}",
                      site,
                      name,
                      keys));
    } catch (StoreIntactException | CatalogException exception) {
      if (exception instanceof CatalogException catalogException
          && catalogException.reason() != CatalogException.Reason.CHANGED) {
        throw exception;
      }
      LOG.debug("another process refilled the store; site={} cache={}", site, name, exception);
    }
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins no further refill, and interrupts the present one. Does not block. */
  @Override
  public void close() {
    leases.close();
    executor.shutdownNow();
  }
}
