package io.ensemble;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds caches that are open here when one of their nodes stays away: a replica whose node has
 * not answered for a while, with the node's site answering, has no vote, and the next node that
 * dies may take the majority. A rebuild is a change to what the cache is already ({@link
 * CacheChanges#rebuild}), so it is safe whether the node is dead or only cut off, and whether or
 * not it returns. It copies the whole cache; hence the wait.
 *
 * <p>Of several processes one rebuilds a cache, by a lease in the catalog. A cache is left as it is
 * while it changes, while its sites have too few nodes that answer for its replicas, and while too
 * few replicas are whole. What fails is tried again after a pause. One thread, which may wait.
 */
final class CacheRebuilder implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CacheRebuilder.class);

  private final SiteCare.Means means;
  private final RedundancyMonitor monitor;
  private final Duration after;
  private final ThreadPoolExecutor work;
  private final Failing failing = new Failing(LOG);
  private final Attempts attempts;
  private final RefillClaims claims;

  /** Since when a node has been away, by the store that it holds. Of the thread that works. */
  private final Map<String, Long> awaySinceNanos = new HashMap<>();

  /**
   * @param after how long a node is waited for
   */
  CacheRebuilder(SiteCare.Means means, RedundancyMonitor monitor, Duration after) {
    this.means = means;
    this.monitor = monitor;
    this.after = after;
    this.attempts = new Attempts(failing, this::nanos);
    this.claims =
        new RefillClaims(
            means.federation(), means.caches(), "rebuild", means.newOwner(), means.beat());
    this.work = StoreChecker.thread("ensemble-rebuilding");
  }

  /**
   * Rebuilds what is due, unless it rebuilds just now. Returns at once.
   *
   * @param records of the caches that are open here, as they were just read and checked
   */
  void attend(Collection<StoredDefinition> records) {
    try {
      List<StoredDefinition> now = List.copyOf(records);
      work.execute(() -> attendNow(now));
    } catch (RejectedExecutionException busy) {
      LOG.trace("a cache is being rebuilt");
    }
  }

  private void attendNow(List<StoredDefinition> records) {
    Set<String> names = new HashSet<>();
    Set<String> away = new HashSet<>();
    records.forEach(
        cache -> {
          names.add(cache.definition().name());
          away.addAll(storesAway(cache));
        });
    attempts.keep(names);
    awaySinceNanos.keySet().retainAll(away);
    away.forEach(store -> awaySinceNanos.putIfAbsent(store, nanos()));
    for (StoredDefinition cache : records) {
      if (isDue(cache)) {
        attempt(cache);
        return; // That took a while: what else was found may be otherwise by now.
      }
    }
  }

  /** The cache's stores at nodes that do not answer, while others of their sites do. */
  private Set<String> storesAway(StoredDefinition cache) {
    Set<String> stores = new HashSet<>();
    for (CacheRedundancy.Replica replica : monitor.of(cache).missing()) {
      if (replica.state() == ReplicaState.NODE_UNREACHABLE) {
        cache.served().store(replica.name()).ifPresent(stores::add);
      }
    }
    return stores;
  }

  private boolean isDue(StoredDefinition cache) {
    CacheRedundancy redundancy = monitor.of(cache);
    return cache.change().isEmpty()
        && redundancy.whole() >= redundancy.needed()
        && storesAway(cache).stream().anyMatch(this::isLongAway)
        && hasNodes(cache);
  }

  private boolean isLongAway(String store) {
    Long since = awaySinceNanos.get(store);
    return since != null && nanos() - since >= after.toNanos();
  }

  /** Whether there is a node that answers for each replica. */
  private boolean hasNodes(StoredDefinition cache) {
    try {
      return means
          .federation()
          .sites()
          .lives(cache.definition(), () -> "00000000")
          .entrySet()
          .stream()
          .allMatch(life -> answers(life.getKey(), StoredDefinition.nodeOf(life.getValue())));
    } catch (SiteException tooFew) {
      return false;
    }
  }

  private boolean answers(String replica, String node) {
    Optional<Site> site = means.federation().sites().find(replica);
    return site.isPresent() && !site.get().isSilent(node);
  }

  private void attempt(StoredDefinition cache) {
    String name = cache.definition().name();
    attempts.attempt(
        new Failing.Step(name, "rebuild"), StoreChecker.unlessStopped(() -> rebuildAlone(cache)));
  }

  private void rebuildAlone(StoredDefinition cache) {
    if (!claims.acquire(cache.birth())) {
      return; // Another process is at it.
    }
    try {
      rebuild(cache);
    } finally {
      claims.release(cache.birth());
    }
  }

  private void rebuild(StoredDefinition cache) {
    String name = cache.definition().name();
    try {
      Optional<ChangeRun> run = means.alterations().rebuildIfUnchanged(cache);
      if (run.isEmpty()) {
        return;
      }
      LOG.warn(
          "a node has not answered for {}: the cache gets new stores on nodes that answer; cache={}"
              + " stores={}",
          after,
          name,
          storesAway(cache));
      means.caches().waitFor(run.get()::done, SiteCare.LONGEST_RECOVERY);
      LOG.info("the cache has new stores on nodes that answer; cache={}", name);
    } catch (CatalogException other) {
      if (other.reason() != CatalogException.Reason.CHANGED) {
        throw other;
      }
      LOG.debug("changed by somebody else meanwhile; cache={}", name, other);
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
