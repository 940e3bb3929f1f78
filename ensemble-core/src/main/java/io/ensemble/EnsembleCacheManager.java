package io.ensemble;

import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.encryption.Keysets;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.codec.Codec;
import io.ensemble.distribution.ShardedCaches;
import io.ensemble.manager.ManagerContext;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.infinispan.commons.api.BasicCacheContainer;
import org.jspecify.annotations.Nullable;

/**
 * The caches of a federation as one process uses them. A manager is built by {@link #builder()},
 * runs until {@link #stop()}, and cannot be started again. Thread-safe.
 *
 * <p>Methods block while they wait for the definitions, which may be far away. Methods that create,
 * open, delete or recover a cache wait for the sites too. They fail with {@link CatalogException}
 * if the definitions cannot be read or written. They fail with {@link IllegalStateException} if the
 * manager is stopped, or if they are called on Ensemble's scheduler.
 *
 * <p>Opening a cache waits at most two seconds for its stores to be opened, so that the first calls
 * find them. Opening never creates a store; a site that is down joins when it is back.
 */
public final class EnsembleCacheManager extends CacheOperations
    implements BasicCacheContainer, AutoCloseable {

  /** The cache that {@link #getCache()} opens. */
  public static final String DEFAULT_CACHE = "default";

  private final ShardedCaches sharded;

  EnsembleCacheManager(
      ManagerContext federation, Codec codec, Map<Mode, EngineFactory> engines, Keysets keysets) {
    super(federation, codec, engines, keysets);
    this.sharded = new ShardedCaches(distributed, parts(), this::createCache, this::deletePlain);
  }

  /** Starts to describe a manager. */
  public static EnsembleCacheManagerBuilder builder() {
    return new EnsembleCacheManagerBuilder();
  }

  /**
   * Creates a cache and opens it; opens it if it exists with equal settings. Waits for the sites,
   * at most for the manager's administration deadline.
   *
   * @throws IllegalArgumentException if a site is unknown
   * @throws PrivateCacheException if the cache is private and there is no fitting keyset, or if
   *     there is a keyset and the cache is not private; nothing was created
   * @throws io.ensemble.keyset.KeysetException if the keyset cannot be read; nothing was created
   * @throws io.ensemble.catalog.definition.CacheExistsException if the cache exists with other
   *     settings
   * @throws CatalogException if a distributed cache has its name
   * @throws QuorumUnavailableException if too few sites answered: none in WEAK, less than a
   *     majority in the other modes; nothing was created. With enough sites, those that are missing
   *     count as down until {@link #recoverSite}
   * @throws io.ensemble.site.SiteException if a site lacks a feature that the mode requires, or
   *     rejects the authentication; nothing was created
   */
  public <K, V> EnsembleCache<K, V> createCache(CacheDefinition definition) {
    caches.engine(definition.mode());
    caches.keysets().check(definition);
    distributed.checkFree(definition.name());
    Duration longest = federation.administration();
    return opened(
        caches.waitFor(
            () -> catalog.create(definition, Deadline.after(longest, federation.scheduler())),
            longest.plus(Catalog.REMOVAL)));
  }

  /**
   * As the other method, at the sites that are {@linkplain #place best} for {@code
   * placementPolicy}. The reasons are recorded in the catalog; if that fails, the cache exists
   * without them. A repeated call with the same policy and settings succeeds, wherever the cache is
   * by now. If the cache is gone, the call places it by the present state of the sites.
   *
   * @param settings of the cache of the policy, without sites
   * @throws IllegalArgumentException if the policy is for another cache
   * @throws io.ensemble.catalog.UnknownSitesException if the policy bans or prefers a site that
   *     does not exist, and the cache does not exist
   * @throws io.ensemble.placement.PlacementImpossibleException if too few sites may hold the cache
   */
  public <K, V> EnsembleCache<K, V> createCache(
      PlacementPolicy placementPolicy, CacheDefinition.Builder settings) {
    List<String> held = placing.heldBy(placementPolicy);
    if (!held.isEmpty()) {
      return createCache(wished(placementPolicy, settings.sites(held).build()));
    }
    boolean there = stored(placementPolicy.cache()).isPresent();
    if (!there) {
      placing.checkNames(placementPolicy);
    }
    PlacementResult placed = place(placementPolicy);
    CacheDefinition definition = wished(placementPolicy, settings.sites(placed.sites()).build());
    EnsembleCache<K, V> created = createCache(definition);
    if (!there) {
      placing.keep(placementPolicy, placed);
    }
    return created;
  }

  private static CacheDefinition wished(
      PlacementPolicy placementPolicy, CacheDefinition definition) {
    if (!definition.name().equals(placementPolicy.cache())) {
      throw new IllegalArgumentException(
          "placement policy is for another cache; cache=%s policy=%s"
              .formatted(definition.name(), placementPolicy.cache()));
    }
    return definition;
  }

  /**
   * Creates a distributed cache and opens it with its parts; opens it if it exists with equal
   * settings. Sends requests to sites only to open the parts.
   *
   * @throws IllegalArgumentException if a part does not exist, or settings do not fit the
   *     partitioner
   * @throws CyclicCacheException if the cache would be a part of itself
   * @throws io.ensemble.partition.UnknownPartitionerException if the partitioner is not installed
   *     here
   * @throws IllegalStateException in frontier mode, without a local site
   * @throws PrivateCacheException if there is a keyset under its name; nothing was created
   * @throws CatalogException if the name is in use, or the cache exists with other settings
   */
  public <K, V> DistributedEnsembleCache<K, V> createDistributed(DistributedDefinition definition) {
    return (DistributedEnsembleCache<K, V>) distributed.create(definition).<K, V>cache();
  }

  /**
   * Creates a cache whose keys are partitioned over shards, and opens it; opens it if it exists
   * with equal settings. A shard is a cache with the settings of {@code definition}. The replicas
   * of each shard choose their nodes independently, and in SWMR each shard has its own primary and
   * its own writer. A large cache at sites of many nodes therefore uses all of them. The loss of a
   * node affects only the shards that have a replica there. {@link #shards} names the shards;
   * {@link #deleteCache} deletes them too. Costs as much as the creation of each shard, one after
   * the other.
   *
   * <p>After a failure the shards that were created are deleted again. If that fails too, they
   * stay, and no client uses them. To call this again is safe.
   *
   * @param shards 1 to {@value DistributedDefinition#MOST_PARTS}; several times the number of nodes
   *     of a site spreads the load evenly
   * @throws IllegalArgumentException if a site is unknown, the cache is private, or the number of
   *     shards is out of range
   * @throws CatalogException if the name is in use, the cache exists with other settings, or a
   *     deletion of it was interrupted
   * @throws QuorumUnavailableException as {@link #createCache(CacheDefinition)}
   * @throws io.ensemble.site.SiteException as {@link #createCache(CacheDefinition)}
   */
  public <K, V> DistributedEnsembleCache<K, V> createSharded(
      CacheDefinition definition, int shards) {
    return (DistributedEnsembleCache<K, V>) sharded.create(definition, shards).<K, V>cache();
  }

  /**
   * The names of the shards of a cache, in their order; empty if it has none, or does not exist.
   *
   * @see #createSharded
   */
  public List<String> shards(String cache) {
    return distributed.stored(cache).map(StoredDistribution::shards).orElse(List.of());
  }

  /** The definition of a distributed cache; empty if there is none of that name. */
  public Optional<DistributedDefinition> distribution(String name) {
    return distributed.stored(name).map(StoredDistribution::definition);
  }

  /** Opens the cache of that name, whatever its settings; creates it if there is none. */
  public <K, V> EnsembleCache<K, V> getOrCreateCache(CacheDefinition definition) {
    Optional<StoredDefinition> stored = stored(definition.name());
    return stored.isPresent() ? opened(stored.get()) : createCache(definition);
  }

  /**
   * Returns the cache of that name, or null if there is none. A distributed cache is a {@link
   * DistributedEnsembleCache}.
   *
   * @throws io.ensemble.catalog.SitesNotKnownHereException if the cache has sites that this manager
   *     does not know
   * @throws io.ensemble.partition.UnknownPartitionerException if its partitioner is not installed
   */
  @Override
  public <K, V> @Nullable EnsembleCache<K, V> getCache(String name) {
    return distributed.found(name).<EnsembleCache<K, V>>map(CacheInstance::cache).orElse(null);
  }

  /**
   * The cache called {@value #DEFAULT_CACHE}.
   *
   * @throws IllegalStateException if there is none
   */
  @Override
  public <K, V> EnsembleCache<K, V> getCache() {
    EnsembleCache<K, V> cache = getCache(DEFAULT_CACHE);
    if (cache == null) {
      throw new IllegalStateException(
          "getCache() requires a cache named '" + DEFAULT_CACHE + "'; it does not exist");
    }
    return cache;
  }

  /** The names of all existing caches, open or not, sorted. */
  @Override
  public Set<String> getCacheNames() {
    return distributed.allNames();
  }

  /** The names of the sites that this manager knows so far, sorted. Sends no request. */
  public Set<String> siteNames() {
    return federation.sites().names();
  }

  /** The local site of this manager; empty if its builder names none. */
  public Optional<String> localSite() {
    return federation.localSite();
  }

  /** The operations on the sites of the federation: add, drain and remove them. */
  public Membership membership() {
    return membership;
  }

  /**
   * Closes a cache here, with its shards. Has no effect if the cache is not open. Its entries stay.
   */
  @Override
  public void stopCache(String name) {
    distributed.stop(name).forEach(caches::stop);
    caches.stop(name);
  }

  /**
   * Deletes a cache and all its entries, for all processes. From now on calls on it here fail with
   * {@link CacheDeletedException}. In other processes they do so as soon as a store is missing. A
   * process that can read the definitions does so after five seconds at the latest. A store at an
   * unreachable site stays there; no client uses it, and it is removed when a cache of this name is
   * created again.
   *
   * <p>The parts of a distributed cache stay, with their entries, unless they are its {@linkplain
   * #createSharded shards}. Shards are deleted first, one after the other; after a failure, call
   * this again.
   *
   * @return false if there is no such cache
   * @throws IllegalStateException if the cache is a part of distributed caches, or one of its
   *     shards is a part of another one; the message names these
   */
  public boolean deleteCache(String name) {
    return sharded.delete(name) || distributed.delete(name) || deletePlain(name);
  }

  /**
   * As {@link #deleteCache}, if {@code stored} is still the record of the cache: the comparison and
   * the deletion are one atomic step in the catalog. After an unknown outcome, a retry is safe; it
   * returns false if the first call deleted the cache.
   *
   * @param stored the record of a cache that is not distributed
   * @return false if the record is another one or gone, and nothing was done
   * @throws IllegalStateException if the cache is a part of distributed caches; the message names
   *     these
   */
  public boolean deleteCacheIfUnchanged(StoredDefinition stored) {
    distributed.checkUnused(stored.definition().name());
    boolean deleted =
        caches.waitFor(
            () -> catalog.deleteIfUnchanged(stored), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
    if (deleted) {
      handleDeletion(stored);
    }
    return deleted;
  }

  private boolean deletePlain(String name) {
    Optional<StoredDefinition> deleted =
        caches.waitFor(() -> catalog.delete(name), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
    deleted.ifPresent(this::handleDeletion);
    return deleted.isPresent();
  }

  private void handleDeletion(StoredDefinition deleted) {
    caches.wasDeleted(deleted);
    placing.forget(deleted);
  }

  /**
   * Has no effect: a manager runs from the beginning.
   *
   * @throws IllegalStateException if the manager is stopped
   */
  @Override
  public void start() {
    caches.running();
  }

  /**
   * Closes all caches here, and the sites and the scheduler that the builder made. Waits briefly
   * for copies that are in flight, and for this process to resign as the writer of SWMR caches. A
   * change that this process carries out stays in its present phase. Another process takes the
   * change over when the mover's heartbeat has been missing for three leases. If the cache serves
   * no calls until the change is over, it does so immediately.
   */
  @Override
  public void stop() {
    membership.endTakingOver();
    endMovers();
    if (caches.stop()) {
      membership.close();
      distributed.stop();
      federation.close();
    }
  }

  @Override
  public void close() {
    stop();
  }

  private <K, V> EnsembleCache<K, V> opened(StoredDefinition stored) {
    return caches.opened(stored).faces().cache();
  }
}
