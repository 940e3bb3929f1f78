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
 * The caches of a federation as one process uses them. Made by {@link #builder()}, running from
 * then on until {@link #stop()}, after which it cannot be started again. Thread-safe.
 *
 * <p>Methods wait: for the definitions, which may be far away, and those that create, open, delete
 * or recover for the sites too. They fail with {@link CatalogException} when the definitions cannot
 * be had, and with {@link IllegalStateException} when the manager is stopped or they are called on
 * Ensemble's scheduler.
 *
 * <p>Opening a cache waits a moment, at most two seconds, for its stores to be opened, so that the
 * first calls find them; it never makes a store, and a site that is down joins when it is back.
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
   * Creates a cache and opens it; opens it if it is there with equal settings. Waits for the sites,
   * at most the manager's administration deadline.
   *
   * @throws IllegalArgumentException if a site is unknown
   * @throws PrivateCacheException if it is private and there is no fitting keyset, or the other way
   *     round; nothing was created
   * @throws io.ensemble.keyset.KeysetException if the keyset cannot be had; nothing was created
   * @throws io.ensemble.catalog.definition.CacheExistsException if it is there with other settings
   * @throws CatalogException if a distributed cache has its name
   * @throws QuorumUnavailableException if too few sites could be had: one in WEAK, else a majority;
   *     nothing was created. Sites that are missing otherwise count as down until {@link
   *     #recoverSite}
   * @throws io.ensemble.site.SiteException if a site cannot give what the mode needs, or does not
   *     let us in; nothing was created
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
   * placementPolicy}. Why is kept in the catalog; if that fails, the cache is there without.
   * Succeeds again with the same wish and settings wherever the cache is by now, else where it is
   * placed as it would be now.
   *
   * @param settings of the cache that is wished for, without sites
   * @throws IllegalArgumentException if the wish is for another cache
   * @throws io.ensemble.catalog.UnknownSitesException if it bans or prefers a site that there is
   *     not, and the cache is not there
   * @throws io.ensemble.placement.PlacementImpossibleException if too few sites may hold it
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
          "a cache is placed by a wish for it; cache=%s wish=%s"
              .formatted(definition.name(), placementPolicy.cache()));
    }
    return definition;
  }

  /**
   * Creates a distributed cache and opens it with its parts; opens it if it is there with equal
   * settings. Asks the sites for what opening the parts needs only.
   *
   * @throws IllegalArgumentException if a part is not there or settings do not fit the partitioner
   * @throws CyclicCacheException if it would be a part of itself
   * @throws io.ensemble.partition.UnknownPartitionerException if that is not installed here
   * @throws IllegalStateException in frontier mode, without a local site
   * @throws PrivateCacheException if there is a keyset under its name; nothing was created
   * @throws CatalogException if the name is taken, or it is there with other settings
   */
  public <K, V> DistributedEnsembleCache<K, V> createDistributed(DistributedDefinition definition) {
    return (DistributedEnsembleCache<K, V>) distributed.create(definition).<K, V>cache();
  }

  /**
   * Creates a cache whose keys are partitioned over shards, and opens it; opens it if it exists
   * with equal settings. A shard is a cache with the settings of {@code definition}. The replicas
   * of each shard choose their nodes independently, and in SWMR each shard has its own primary and
   * its own writer. A large cache at sites of many nodes therefore uses all of them, and the loss
   * of a node affects only the shards that have a replica there. {@link #shards} names the shards;
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
   * @throws CatalogException if the name is taken, the cache exists with other settings, or a
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

  /** What a distributed cache is; empty if there is none of that name. */
  public Optional<DistributedDefinition> distribution(String name) {
    return distributed.stored(name).map(StoredDistribution::definition);
  }

  /** Opens the cache of that name whatever its settings, and creates it if there is none. */
  public <K, V> EnsembleCache<K, V> getOrCreateCache(CacheDefinition definition) {
    Optional<StoredDefinition> stored = stored(definition.name());
    return stored.isPresent() ? opened(stored.get()) : createCache(definition);
  }

  /**
   * The cache of that name, null if there is none; a {@link DistributedEnsembleCache} if it is one.
   *
   * @throws io.ensemble.catalog.SitesNotKnownHereException if it has sites that this manager does
   *     not know
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
          "getCache() wants a cache named '" + DEFAULT_CACHE + "'; there is none");
    }
    return cache;
  }

  /** The names of all caches that there are, open or not, sorted. */
  @Override
  public Set<String> getCacheNames() {
    return distributed.allNames();
  }

  /** The names of the sites that this manager knows so far, sorted. Asks nobody. */
  public Set<String> siteNames() {
    return federation.sites().names();
  }

  /** The sites of the federation: they join, are drained, and leave. */
  public Membership membership() {
    return membership;
  }

  /**
   * Closes a cache here, with its shards; without effect if it is not open. What it holds stays.
   */
  @Override
  public void stopCache(String name) {
    distributed.stop(name).forEach(caches::stop);
    caches.stop(name);
  }

  /**
   * Deletes a cache and all that it holds, for everyone. Calls on it here fail with {@link
   * CacheDeletedException} from now on; in other processes as soon as they miss a store, after five
   * seconds at the latest while they can read the definitions. A store at a site that cannot be
   * reached stays there, no client uses it, and it goes when a cache of this name is created again.
   * The parts of a distributed cache stay, with their entries, unless they are its {@linkplain
   * #createSharded shards}. These are deleted first, one after the other; after a failure, call
   * this again.
   *
   * @return false if there is none
   * @throws IllegalStateException if it is a part of distributed caches, naming them, or one of its
   *     shards is a part of another distributed cache
   */
  public boolean deleteCache(String name) {
    return sharded.delete(name) || distributed.delete(name) || deletePlain(name);
  }

  private boolean deletePlain(String name) {
    Optional<StoredDefinition> deleted =
        caches.waitFor(() -> catalog.delete(name), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
    deleted.ifPresent(caches::wasDeleted);
    deleted.ifPresent(placing::forget);
    return deleted.isPresent();
  }

  /**
   * Nothing to do: a manager runs from the beginning.
   *
   * @throws IllegalStateException if it is stopped
   */
  @Override
  public void start() {
    caches.running();
  }

  /**
   * Closes all caches here, and the sites and the scheduler that the builder made. Waits a moment
   * for copies that are still on their way, and for the writer's places of SWMR caches to be given
   * up. A change that this process carries out stays as it is: others take it over when it has been
   * silent for three leases, and at once where nobody is served until it is over.
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
