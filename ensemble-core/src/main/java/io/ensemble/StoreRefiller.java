package io.ensemble;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.StoreKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the caches that are open here the stores again that a node has forgotten. In memory a node
 * forgets its stores when it is started again; were nobody to refill them, a restart of one node
 * after the other would end a cache. So every process that has the cache open does it, unless it is
 * told not to. Of several processes one refills a store, by a lease in the catalog ({@link
 * RefillClaims}); where two do, the catalog takes one of the stores, and the other is removed.
 *
 * <p>Every two seconds it reads the records of the caches that are open and opens their stores. A
 * store that a site has not had for four seconds, on disk for a minute, and then up to ten more by
 * chance, is refilled. What fails is tried again after a pause. One thread, which may wait.
 */
final class StoreRefiller implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreRefiller.class);
  private static final int BEATS = 2;

  /** So that of several processes one has done it when the next would begin. */
  private static final int BEATS_OF_CHANCE = 5;

  private final SiteCare.Means means;
  private final ThreadPoolExecutor work;
  private final Failing failing = new Failing(LOG);
  private final Attempts attempts;
  private final RefillClaims claims;

  // Of the thread that works.
  private final Map<String, SiteStores> sites = new HashMap<>();

  /** From when on a store that is missing is refilled, by site and cache. */
  private final Map<String, Long> dueAtNanos = new HashMap<>();

  // Both belong to this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  StoreRefiller(SiteCare.Means means) {
    this.means = means;
    this.attempts = new Attempts(failing, this::nanos);
    this.claims = new RefillClaims(means.federation(), means.caches(), newOwner(), means.beat());
    this.work =
        new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "ensemble-refilling");
              thread.setDaemon(true);
              return thread;
            });
  }

  private String newOwner() {
    return "%016x%016x"
        .formatted(means.federation().random().nextLong(), means.federation().random().nextLong());
  }

  void start() {
    lookLater();
  }

  private synchronized void lookLater() {
    if (closed) {
      return;
    }
    try {
      timer = means.federation().scheduler().after(means.beat().toNanos(), this::look);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void look() {
    try {
      work.execute(this::attend);
    } catch (RejectedExecutionException busy) {
      LOG.trace("the look before has not ended");
    }
    lookLater();
  }

  private void attend() {
    Map<String, List<StoredDefinition>> bySite = new TreeMap<>();
    if (isClosed()) {
      return;
    }
    Map<String, OpenedCache> open = means.caches().snapshot();
    attempts.keep(open.keySet());
    open.forEach(
        (name, cache) ->
            attempts.attempt(
                new Failing.Step(name, "look up"),
                unlessStopped(() -> present(cache).ifPresent(now -> add(now, bySite)))));
    sites.keySet().retainAll(bySite.keySet());
    Set<String> stores = new HashSet<>();
    bySite.forEach((site, here) -> here.forEach(cache -> stores.add(suffix(site, cache))));
    claims.retain(stores);
    dueAtNanos
        .keySet()
        .removeIf(
            key ->
                bySite.entrySet().stream()
                    .noneMatch(
                        at ->
                            at.getValue().stream()
                                .anyMatch(cache -> key.equals(key(at.getKey(), cache)))));
    bySite.forEach(
        (site, here) ->
            failing.told(
                new Failing.Step(site, "look"),
                unlessStopped(
                    () ->
                        sites
                            .computeIfAbsent(site, name -> new SiteStores(means, name))
                            .there(here)
                            .ifPresent(there -> here.forEach(cache -> see(site, cache, there))))));
  }

  /** What is interrupted by the end has not failed. */
  private static BooleanSupplier unlessStopped(Runnable step) {
    return () -> {
      try {
        step.run();
      } catch (CancellationException stopped) {
        LOG.trace("stopped", stopped);
      }
      return true;
    };
  }

  /** Of a cache that may lose a store with a node, and is not ending. */
  private Optional<StoredDefinition> present(OpenedCache cache) {
    StoredDefinition opened = cache.watch().opened();
    if (cache.watch().isDeleted()) {
      return Optional.empty();
    }
    return means
        .caches()
        .waitFor(
            () -> means.federation().definitions().get(opened.definition().name()),
            OpenCaches.LONGEST_LOOKUP)
        .filter(opened::isSameBirth)
        .filter(now -> SiteHandle.kindOf(now.definition()) == StoreKind.REPLICA)
        .filter(now -> now.change().filter(Change::hasSealed).isEmpty());
  }

  private static void add(StoredDefinition cache, Map<String, List<StoredDefinition>> bySite) {
    cache
        .incarnations()
        .keySet()
        .forEach(site -> bySite.computeIfAbsent(site, any -> new ArrayList<>()).add(cache));
  }

  private static String key(String site, StoredDefinition cache) {
    return site + " " + cache.store(site).orElse("");
  }

  private void see(String site, StoredDefinition cache, Set<String> there) {
    String key = key(site, cache);
    if (cache.store(site).filter(there::contains).isPresent()) {
      dueAtNanos.remove(key);
      return;
    }
    long beat = means.beat().toNanos();
    long chance = (long) (means.federation().random().nextDouble() * BEATS_OF_CHANCE * beat);
    long wait = isOnDisk(site) ? SiteCare.MISSING_ON_DISK.toNanos() : BEATS * beat;
    Long due = dueAtNanos.putIfAbsent(key, nanos() + wait + chance);
    if (due != null && nanos() - due >= 0 && SiteStores.canFill(means, cache, site)) {
      String name = cache.definition().name();
      attempts.attempt(
          new Failing.Step(name, "refill at " + site),
          unlessStopped(
              () -> {
                String store = suffix(site, cache);
                if (!claims.acquire(store)) {
                  return; // Another process is at it.
                }
                try {
                  refill(site, cache);
                } finally {
                  claims.release(store);
                }
                dueAtNanos.remove(key);
              }));
    }
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
    Optional<OpenedCache> open = means.caches().get(name).filter(here -> here.isOf(cache));
    if (open.isEmpty()) {
      return;
    }
    try {
      means
          .changes()
          .refill(open.get(), cache, site, SiteCare.LONGEST_RECOVERY)
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
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
    claims.close();
    work.shutdownNow();
  }
}
