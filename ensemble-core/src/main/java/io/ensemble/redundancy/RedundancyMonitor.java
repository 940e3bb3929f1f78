package io.ensemble.redundancy;

import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.maintenance.StoreChecker;
import io.ensemble.placement.ReplicaName;
import io.ensemble.redundancy.CacheRedundancy.Replica;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the states of stores that {@link StoreChecker} has found, and reports each change of a
 * cache's redundancy in the log and to listeners. Sends nothing. Thread-safe.
 */
public final class RedundancyMonitor {

  /** How long a cache that is not open here is checked after its last request. */
  static final Duration INTEREST = Duration.ofMinutes(1);

  private record RequestedCheck(StoredDefinition stored, long untilNanos) {}

  private final SiteDirectory sites;
  private final Scheduler scheduler;
  private final Logger log;
  private final List<Consumer<CacheRedundancy>> listeners = new CopyOnWriteArrayList<>();

  /** The state of each store, by its name. */
  private final Map<String, ReplicaState> found = new ConcurrentHashMap<>();

  /** The redundancy of open caches, by name. */
  private final Map<String, CacheRedundancy> known = new ConcurrentHashMap<>();

  private final Map<String, RequestedCheck> requested = new ConcurrentHashMap<>();

  public RedundancyMonitor(SiteDirectory sites, Scheduler scheduler) {
    this(sites, scheduler, LoggerFactory.getLogger(RedundancyMonitor.class));
  }

  public RedundancyMonitor(SiteDirectory sites, Scheduler scheduler, Logger log) {
    this.sites = sites;
    this.scheduler = scheduler;
    this.log = log;
  }

  /**
   * Registers {@code listener} for every change. The listener is called on the thread that checks,
   * and must not block.
   */
  public AutoCloseable listen(Consumer<CacheRedundancy> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** The redundancy of a cache that is open here; empty before its first check. */
  public Optional<CacheRedundancy> of(String cache) {
    return Optional.ofNullable(known.get(cache));
  }

  /**
   * Computes the redundancy from the states of the stores. A replica without a known state counts
   * as whole.
   */
  public CacheRedundancy of(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    return CacheRedundancy.of(
        stored,
        replica -> {
          boolean isAway =
              sites
                  .findSite(ReplicaName.siteOf(replica))
                  .filter(site -> site.health().state() != SuspicionLevel.State.REACHABLE)
                  .isPresent();
          return isAway
              ? ReplicaState.SITE_DOWN
              : served.store(replica).map(found::get).orElse(ReplicaState.WHOLE);
        });
  }

  /** Whether every store that the record names, and that is checked at all, has been checked. */
  public boolean isChecked(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    if (SiteHandle.kindOf(served.definition()) != StoreKind.REPLICA) {
      return true;
    }
    return served.definition().sites().stream()
        .flatMap(replica -> served.store(replica).stream())
        .allMatch(found::containsKey);
  }

  /** Makes the checker check a cache that is not open here, for {@link #INTEREST}. */
  public void request(StoredDefinition stored) {
    requested.put(
        stored.definition().name(),
        new RequestedCheck(stored, scheduler.nanos() + INTEREST.toNanos()));
  }

  /** The caches that were requested recently. */
  public List<StoredDefinition> requested() {
    long now = scheduler.nanos();
    requested.values().removeIf(one -> now - one.untilNanos() >= 0);
    return requested.values().stream().map(RequestedCheck::stored).toList();
  }

  /** Records the result of a store's check. */
  public void found(String store, ReplicaState state) {
    found.put(store, state);
  }

  /**
   * Ends a check of all stores.
   *
   * @param open the caches that are open here; other caches are discarded, as are stores that
   *     belong neither to these nor to {@code others}
   */
  public void update(Collection<StoredDefinition> open, Collection<StoredDefinition> others) {
    Set<String> stores =
        Stream.concat(open.stream(), others.stream())
            .map(StoredDefinition::served)
            .flatMap(
                cache ->
                    cache.definition().sites().stream()
                        .flatMap(replica -> cache.store(replica).stream()))
            .collect(Collectors.toSet());
    found.keySet().retainAll(stores);
    Map<String, CacheRedundancy> now = new TreeMap<>();
    open.forEach(stored -> now.put(stored.definition().name(), of(stored)));
    known.keySet().retainAll(now.keySet());
    now.forEach(this::update);
  }

  private void update(String cache, CacheRedundancy now) {
    CacheRedundancy before = known.put(cache, now);
    if (before == null ? now.isUnderReplicated() : !now.equals(before)) {
      report(before == null ? List.of() : before.missing(), now);
      tell(now);
    }
  }

  /** Logs a line for each replica that became missing, or is no longer missing. */
  private void report(List<Replica> before, CacheRedundancy now) {
    for (Replica replica : now.missing()) {
      if (find(replica.name(), before).isEmpty()) {
        log.warn(
            "a replica is missing: {}; cache={} replica={} state={} whole={} asked={} canLose={}",
            replica.state().reason(),
            now.cache(),
            replica.name(),
            replica.state(),
            now.whole(),
            now.asked(),
            now.canLose());
      }
    }
    for (Replica replica : before) {
      if (find(replica.name(), now.missing()).isEmpty()) {
        log.info(
            "a replica is no longer missing; cache={} replica={} was={} whole={} asked={} canLose={}",
            now.cache(),
            replica.name(),
            replica.state(),
            now.whole(),
            now.asked(),
            now.canLose());
      }
    }
  }

  private static Optional<Replica> find(String name, List<Replica> among) {
    return among.stream().filter(replica -> replica.name().equals(name)).findFirst();
  }

  private void tell(CacheRedundancy now) {
    for (Consumer<CacheRedundancy> listener : listeners) {
      try {
        listener.accept(now);
      } catch (RuntimeException broken) {
        log.error("a listener failed; cache={}", now.cache(), broken);
      }
    }
  }
}
