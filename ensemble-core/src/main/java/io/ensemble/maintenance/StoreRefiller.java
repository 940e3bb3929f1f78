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
 * Gives the caches that are open here the stores again that a node has forgotten. In memory a node
 * forgets its stores when it is started again; were nobody to refill them, a restart of one node
 * after the other would end a cache. So every process that has the cache open does it, unless it is
 * told not to. Of several processes one refills a store, by a lease in the catalog ({@link
 * RefillLeases}); where two do, the catalog takes one of the stores, and the other is removed.
 *
 * <p>A store that the {@link StoreChecker} has not found for four seconds, on disk for a minute,
 * and then up to two more by chance (ten where the catalog has no leases), is refilled. What fails
 * is tried again after a pause. One thread, which may wait.
 */
public final class StoreRefiller implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreRefiller.class);
  private static final int BEATS = 2;

  /** So that not all processes ask the catalog at the same time who refills. */
  private static final int BEATS_OF_CHANCE = 1;

  /** So that of several processes one has done it when the next would begin. */
  private static final int BEATS_OF_CHANCE_WITHOUT_LEASES = 5;

  private final SiteMaintenance.Means means;
  private final ThreadPoolExecutor work;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);
  private final MaintenanceRetry maintenanceRetry;
  private final RefillLeases claims;

  /**
   * From when on a store that is missing is refilled, by site and cache. Of the thread that works.
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
   * Refills what is due, unless it refills just now. Returns at once.
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
        return; // That took a while: what else was found missing may be there by now.
      }
    }
  }

  private static String key(String site, StoredDefinition cache) {
    return site + " " + cache.store(site).orElse("");
  }

  private boolean see(String site, List<StoredDefinition> here, Set<String> there) {
    return here.stream().anyMatch(cache -> see(site, cache, there));
  }

  /** Whether it tried to refill a store. */
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
                  return; // Another process is at it.
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

  /** A node that starts from its disk knows none of its stores at first. */
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
                      "a node had forgotten a store, which is refilled; site={} cache={} keys={}",
                      site,
                      name,
                      keys));
    } catch (StoreIntactException | CatalogException other) {
      if (other instanceof CatalogException why
          && why.reason() != CatalogException.Reason.CHANGED) {
        throw other;
      }
      LOG.debug("refilled by somebody else; site={} cache={}", site, name, other);
    }
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins nothing more; what is under way is interrupted. Waits for nothing. */
  @Override
  public void close() {
    claims.close();
    work.shutdownNow();
  }
}
