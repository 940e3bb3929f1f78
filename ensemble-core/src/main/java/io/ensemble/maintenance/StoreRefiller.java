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
  private final ThreadPoolExecutor work;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);
  private final MaintenanceRetry maintenanceRetry;
  private final RefillLeases claims;

  /**
   * When a missing store becomes due for refilling, by site and cache. Used only by the worker
   * thread.
   */
  private final Map<String, Long> dueAtNanos = new HashMap<>();

  public StoreRefiller(SiteMaintenance.Means means) {
    this.means = means;
    this.maintenanceRetry = new MaintenanceRetry(maintenanceFailureLog, this::nanos);
    this.claims = new RefillLeases(means.federation(), means.caches(), newOwner(), means.beat());
    this.work = StoreChecker.thread("ensemble-refilling");
  }

  private String newOwner() {
    return "%016x%016x"
        .formatted(means.federation().random().nextLong(), means.federation().random().nextLong());
  }

  /**
   * Refills the stores that are due, unless a refill is running. Returns immediately.
   *
   * @param open the caches that are open here
   */
  void refill(Set<String> open, StoreChecker.Checked checked) {
    try {
      work.execute(() -> attend(Set.copyOf(open), checked));
    } catch (RejectedExecutionException busy) {
      LOG.trace("a store is being refilled");
    }
  }

  private void attend(Set<String> open, StoreChecker.Checked checked) {
    maintenanceRetry.keep(open);
    Set<String> stores = new HashSet<>();
    checked
        .bySite()
        .forEach((site, here) -> here.forEach(cache -> stores.add(suffix(site, cache))));
    claims.retain(stores);
    dueAtNanos
        .keySet()
        .removeIf(
            key ->
                checked.bySite().entrySet().stream()
                    .noneMatch(
                        at ->
                            at.getValue().stream()
                                .anyMatch(cache -> key.equals(key(at.getKey(), cache)))));
    for (Map.Entry<String, List<StoredDefinition>> at : checked.bySite().entrySet()) {
      Set<String> there = checked.there().get(at.getKey());
      if (there != null && see(at.getKey(), at.getValue(), there)) {
        return; // The refill took a while: other stores that were missing may exist by now.
      }
    }
  }

  private static String key(String site, StoredDefinition cache) {
    return site + " " + cache.store(site).orElse("");
  }

  private boolean see(String site, List<StoredDefinition> here, Set<String> there) {
    return here.stream().anyMatch(cache -> see(site, cache, there));
  }

  /** Whether a refill of the store was attempted. */
  private boolean see(String site, StoredDefinition cache, Set<String> there) {
    String key = key(site, cache);
    if (cache.store(site).filter(there::contains).isPresent()) {
      dueAtNanos.remove(key);
      return false;
    }
    long beat = means.beat().toNanos();
    int most = claims.areLeased() ? BEATS_OF_CHANCE : BEATS_OF_CHANCE_WITHOUT_LEASES;
    long chance = (long) (means.federation().random().nextDouble() * most * beat);
    long wait = isOnDisk(site) ? SiteMaintenance.MISSING_ON_DISK.toNanos() : BEATS * beat;
    Long due = dueAtNanos.putIfAbsent(key, nanos() + wait + chance);
    if (due != null && nanos() - due >= 0 && SiteStoreProbe.canFill(means, cache, site)) {
      String name = cache.definition().name();
      AtomicBoolean tried = new AtomicBoolean();
      maintenanceRetry.attempt(
          new MaintenanceFailureLog.Step(name, "refill at " + site),
          StoreChecker.unlessStopped(
              () -> {
                String store = suffix(site, cache);
                if (!claims.acquire(store)) {
                  return; // Another process refills the store.
                }
                tried.set(true);
                try {
                  refill(site, cache);
                } finally {
                  claims.release(store);
                }
                dueAtNanos.remove(key);
              }));
      return tried.get();
    }
    return false;
  }

  /** The store's name without that of its cache, which may be long. */
  private static String suffix(String site, StoredDefinition cache) {
    String store = cache.store(site).orElse(site);
    return store.substring(Math.min(store.length(), cache.definition().name().length()));
  }

  /** Whether the site is on disk. A node that starts from its disk reports no stores at first. */
  private boolean isOnDisk(String site) {
    return means.federation().sites().find(site).filter(Site::isOnDisk).isPresent();
  }

  private void refill(String site, StoredDefinition cache) {
    String name = cache.definition().name();
    Optional<ManagedCache> open = means.caches().get(name).filter(here -> here.isOf(cache));
    if (open.isEmpty()) {
      return;
    }
    try {
      means
          .changes()
          .refill(open.get(), cache, site, SiteMaintenance.LONGEST_RECOVERY)
          .ifPresent(
              keys ->
                  LOG.info(
                      "a node had lost a store, the store was refilled; site={} cache={} keys={}",
                      site,
                      name,
                      keys));
    } catch (StoreIntactException | CatalogException other) {
      if (other instanceof CatalogException why
          && why.reason() != CatalogException.Reason.CHANGED) {
        throw other;
      }
      LOG.debug("another process refilled the store; site={} cache={}", site, name, other);
    }
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins no further refill, and interrupts the present one. Does not block. */
  @Override
  public void close() {
    claims.close();
    work.shutdownNow();
  }
}
