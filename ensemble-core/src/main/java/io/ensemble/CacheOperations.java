package io.ensemble;

import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.PromotableEngine;
import io.ensemble.cache.adapter.EncodedCache;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.cache.encryption.Keysets;
import io.ensemble.cache.encryption.Reencryptor;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.codec.Codec;
import io.ensemble.distribution.CacheParts;
import io.ensemble.distribution.DistributedCaches;
import io.ensemble.maintenance.RedundancyCheck;
import io.ensemble.manager.KeyInspector;
import io.ensemble.manager.ManagedCache;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.membership.CachePlacer;
import io.ensemble.migrate.Movers;
import io.ensemble.migrate.OwnerFailureDetectors;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.CacheChanges;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.reconfiguration.SiteFailover;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The operations on existing caches: recover a lost store, show or move the primary, change the
 * definition. Methods block, and fail with {@link CatalogException} and {@link
 * IllegalStateException} as {@link EnsembleCacheManager} describes. Thread-safe.
 */
public abstract sealed class CacheOperations permits EnsembleCacheManager {

  static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  /** The longest time for the re-encryption of one batch of keys. */
  private static final Duration STEP = Duration.ofSeconds(30);

  final ManagerContext federation;
  final Catalog catalog;
  final OpenCaches caches;
  final DistributedCaches distributed;
  private final SiteFailover changes;
  final CachePlacer placing;
  private final Alterations alterations;
  private final Movers movers = new Movers();
  private final OwnerFailureDetectors ownerFailureDetectors =
      new OwnerFailureDetectors(Alterations.RULES, Alterations.PART_RULES);
  private final CacheParts parts;
  private final KeyInspector views;
  final Membership membership;

  CacheOperations(
      ManagerContext federation, Codec codec, Map<Mode, EngineFactory> engines, Keysets keysets) {
    this.federation = federation;
    this.caches = new OpenCaches(federation, codec, engines, keysets);
    this.catalog =
        new Catalog(
            federation.sites(),
            federation.definitions(),
            federation.scheduler(),
            federation::newToken);
    this.changes = new SiteFailover(federation, catalog, caches);
    this.alterations = new Alterations(federation, catalog, caches, movers, ownerFailureDetectors);
    this.views = new KeyInspector(federation, codec);
    this.placing = new CachePlacer(federation, caches);
    this.distributed = new DistributedCaches(federation, caches, codec);
    this.parts = new CacheParts(federation, distributed, caches, movers, ownerFailureDetectors);
    this.membership = new Membership(federation, caches, changes, alterations, parts, placing);
  }

  /**
   * The record of a cache: its definition and the incarnations of its stores. Empty if there is no
   * such cache, or if it is distributed.
   */
  public Optional<StoredDefinition> stored(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /**
   * The definitions of the caches that are open here, by name, including the parts of distributed
   * caches. Empty once the manager is stopped. Sends no request.
   */
  public List<CacheDefinition> openCaches() {
    return caches.snapshot().values().stream().map(open -> open.faces().definition()).toList();
  }

  /** All caches in the catalog; one read for each. */
  public Inventory inventory() {
    return caches.waitFor(() -> federation.definitions().inventory(), LONGEST_LOOKUP);
  }

  /**
   * Computes the best sites for the cache of {@code placementPolicy}, among the sites of this
   * manager, with the reasons. If the cache exists and no placement is better, the result is its
   * present sites. Labels and states of sites come from the catalog, their statistics from the
   * sites. A site that does not answer within five seconds is chosen only if there are too few
   * others. Changes nothing.
   *
   * @throws io.ensemble.placement.PlacementImpossibleException if too few sites may hold the cache;
   *     names the reason for each site
   */
  public PlacementResult place(PlacementPolicy placementPolicy) {
    return placing.place(placementPolicy);
  }

  /**
   * The decision that was recorded when a cache was {@linkplain
   * EnsembleCacheManager#createCache(PlacementPolicy, CacheDefinition.Builder) placed}. Empty if
   * its sites were given, or if there is no such cache.
   */
  public Optional<StoredPlacement> placement(String cache) {
    return placing.placement(cache);
  }

  /**
   * Gives a cache a new store at a site that has lost its own, and fills it from the other sites.
   * Until the method returns the site counts as down; after a failure the site still does, and the
   * call may be repeated.
   *
   * <p>For an SWMR cache at two sites the other site must be complete. The recovered site counts
   * from the beginning of its refill. A repeated call waits for the end of the refill and then
   * fails with {@link StoreIntactException}.
   *
   * <p>A site whose nodes are starting is retried until {@code timeout}. A site that refuses
   * connections, or has too few nodes for its store, is retried for ten seconds. At a site with
   * several replicas each lost one is recovered, one after the other, each within {@code timeout}.
   * The name of one replica, {@code SITE/N}, recovers only that replica.
   *
   * @param timeout the longest time of the recovery
   * @param former the policy for the store that the site has
   * @return how many keys were copied
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws StoreIntactException if the site has its store and {@code former} is not {@linkplain
   *     FormerStorePolicy#DISCARD to discard it}
   * @throws io.ensemble.site.SiteException of that site: if it did not answer in time or rejected
   *     the authentication; or if its store {@link io.ensemble.site.SiteException.Reason#DEGRADED
   *     refuses} and is not to be discarded
   * @throws QuorumUnavailableException if too few of the other sites answer. The former store is
   *     still there, unless the sites stopped answering only after its removal
   * @throws CacheDeletedException if the cache was deleted meanwhile
   * @throws SiteIncompleteException for an SWMR cache at two sites, if the other site is not
   *     complete yet; the former store is still there
   * @throws SplitBrainException if both sites have continued alone and the writes of this site are
   *     not to be discarded
   */
  public long recoverSite(String cache, String site, Duration timeout, FormerStorePolicy former) {
    StoredDefinition stored = known(cache);
    ManagedCache here = caches.opened(stored);
    List<String> replicas = ReplicaName.at(site, stored.definition().sites());
    return replicas.size() < 2
        ? changes.recover(here, stored, site, timeout, former)
        : recoverEach(here, stored, replicas, timeout, former);
  }

  /** Recovers each replica; a failure of one does not prevent the recovery of the others. */
  private long recoverEach(
      ManagedCache here,
      StoredDefinition stored,
      List<String> replicas,
      Duration timeout,
      FormerStorePolicy former) {
    long keys = 0;
    int intact = 0;
    RuntimeException failed = null;
    for (String replica : replicas) {
      try {
        keys += recoverOne(here, stored, replica, timeout, former);
      } catch (StoreIntactException one) {
        if (++intact == replicas.size()) {
          throw one;
        }
      } catch (SiteException | QuorumUnavailableException one) {
        if (failed == null) {
          failed = one;
        } else {
          failed.addSuppressed(one);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
    return keys;
  }

  /**
   * Recovers one replica. A store that answers is not discarded because another one at its site
   * does not.
   */
  private long recoverOne(
      ManagedCache here,
      StoredDefinition stored,
      String replica,
      Duration timeout,
      FormerStorePolicy former) {
    try {
      return changes.recover(here, stored, replica, timeout, FormerStorePolicy.MUST_BE_LOST);
    } catch (SiteException why) {
      if (former == FormerStorePolicy.DISCARD && canDiscard(stored.definition().name(), why)) {
        return changes.recover(here, stored, replica, timeout, FormerStorePolicy.DISCARD);
      }
      throw why;
    }
  }

  /**
   * As the other method, for a site that must have {@linkplain FormerStorePolicy lost} its store.
   */
  public long recoverSite(String cache, String site, Duration timeout) {
    return recoverSite(cache, site, timeout, FormerStorePolicy.MUST_BE_LOST);
  }

  /** As the other method, with a timeout of ten minutes. */
  public long recoverSite(String cache, String site) {
    return recoverSite(cache, site, Duration.ofMinutes(10));
  }

  /**
   * Re-encrypts every value of a private cache with the present key of its keyset, while the cache
   * is read and written. A value that is written meanwhile stays as it was written. The call blocks
   * until the pass is over.
   *
   * <p>The call may be repeated. Before a former key is retired, repeat it until a pass finds
   * nothing to do. Writers with a former keyset may have written in the meantime, and in WEAK a
   * site may not have received all writes yet. Two round trips for each re-encrypted value.
   *
   * @param keysPerSecond the most keys that are examined in a second; 0 for no limit
   * @param progress called after every few keys, on the caller's thread
   * @throws NoSuchElementException if there is no such cache
   * @throws PrivateCacheException if the cache is not private, or there is no keyset for it
   * @throws QuorumUnavailableException if the iteration over the cache fails; values that were
   *     re-encrypted stay so
   * @throws WriterPresentException in SWMR, while another process is the writer, because this
   *     method writes: call it in the process that writes. Values that were re-encrypted stay so
   */
  public Reencryption reencrypt(String cache, long keysPerSecond, Consumer<Reencryption> progress) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException(
          "keysPerSecond must be 0 or more; keysPerSecond=" + keysPerSecond);
    }
    ManagedCache opened = opened(cache);
    if (!(opened.faces().running() instanceof EncryptingEngine engine)) {
      throw new PrivateCacheException(PrivateCacheException.Reason.NOT_PRIVATE, cache);
    }
    boolean siblings = opened.faces().definition().keepsSiblings();
    try (Reencryptor pass = engine.reencryptor(siblings, keysPerSecond, federation.scheduler())) {
      boolean more = true;
      while (more) {
        more =
            caches.waitFor(
                () -> pass.step(Deadline.after(STEP, federation.scheduler())), STEP.plusSeconds(1));
        progress.accept(pass.report());
      }
      return pass.report();
    }
  }

  /**
   * The primary site and the writer of an SWMR cache. Asks a majority of its sites: one round trip,
   * or two if the sites disagree. Takes at most a lease and the clock drift, 2.2 seconds.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws UnsupportedOperationException if the cache is not in SWMR
   * @throws QuorumUnavailableException if too few of its sites answer
   */
  public PrimaryTerm primaryTerm(String cache) {
    PromotableEngine engine = opened(cache).promotable();
    Deadline deadline = Deadline.after(LONGEST_LOOKUP, federation.scheduler());
    return caches.waitFor(() -> engine.term(deadline), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
  }

  /**
   * Makes {@code site} the primary of an SWMR cache and waits for the change. Returns immediately
   * if the site is the primary already. The writer stays the same. Between the two terms nothing is
   * read or written for a lease and the clock drift, 2.2 seconds. About five more round trips. May
   * be repeated.
   *
   * @param timeout the longest time of the change
   * @return the term in which the site is the primary
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws UnsupportedOperationException if the cache is not in SWMR
   * @throws SiteIncompleteException at two sites, if the site is not refilled yet
   * @throws QuorumUnavailableException if the site cannot be read, in which case nothing was
   *     changed; or if the change did not finish in time, in which case it still may
   */
  public PrimaryTerm promote(String cache, String site, Duration timeout) {
    ManagedCache here = opened(cache);
    String replica =
        here.faces()
            .definition()
            .replicaAt(Optional.of(site))
            .orElse(site); // The first of several replicas.
    return changes.promote(here, replica, timeout);
  }

  /**
   * Makes an SWMR cache at two sites continue at {@code site} alone, because the other one, {@code
   * without}, is lost or is to leave. With two sites nothing is read or written while either is
   * away. Only an operator can tell a lost site from a disconnected one.
   *
   * <p>The call is safe whether {@code without} is dead, disconnected or healthy, and whichever
   * processes can still reach that site. Any number of processes may repeat the call. Every write
   * that a majority acknowledged is at both sites. From now on no write at {@code without} is
   * acknowledged; {@code without} must be {@linkplain #recoverSite recovered}, filled anew from
   * {@code site}, before it counts again.
   *
   * <p>If the primary alone acknowledges and {@code without} was the primary, up to the cache's
   * window of writes is lost. A writer that is alive reports them. The call is not safe for one
   * site in this catalog and for the other site in a copy of the catalog: see {@link
   * SplitBrainException}.
   *
   * <p>Nothing is read or written for a lease and the clock drift, 2.2 seconds. Other processes
   * follow when {@code site} refuses them, or within five seconds if they can read the definitions.
   * Needs only {@code site} and the definitions. About ten round trips. Returns immediately if the
   * change was made before. After a failure, repeat the call: the change may be half done, and then
   * nothing is read or written until a call succeeds, for either site.
   *
   * @param timeout the longest time of the change
   * @return the term in which the site is the primary
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at exactly these two sites
   * @throws UnsupportedOperationException if the cache is not in SWMR
   * @throws SiteIncompleteException if {@code site} is the one without which the cache has
   *     continued, or is not refilled yet; nothing was changed
   * @throws io.ensemble.site.SiteException if {@code site} cannot be reached
   * @throws QuorumUnavailableException if the change did not finish in time; it still may
   */
  public PrimaryTerm promote(String cache, String site, String without, Duration timeout) {
    return changes.goOn(opened(cache), site, without, timeout);
  }

  /**
   * Resigns as the writer of an SWMR cache, if this manager is the writer. Another process may then
   * write immediately. The next write of this manager makes it the writer again, unless another
   * process is. Two round trips; more if a heartbeat of the writer comes between.
   *
   * <p>{@link EnsembleCacheManager#stopCache} and {@link EnsembleCacheManager#stop} resign too.
   * Unlike them this method does not wait until a majority holds the writes that the primary alone
   * has acknowledged. If a process ends without resigning, another writer follows when the lease
   * has expired. For a cache with shards each shard resigns, one after the other; the first failure
   * is thrown after the last shard.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws UnsupportedOperationException if the cache is not in SWMR
   * @throws QuorumUnavailableException if too few of its sites answer
   * @throws UnknownOutcomeException if too few sites answered in the end; this manager may have
   *     resigned or not, and the call may be repeated
   */
  public void resign(String cache) {
    List<String> shards =
        distributed.stored(cache).map(StoredDistribution::shards).orElse(List.of());
    RuntimeException failed = null;
    for (String one : shards.isEmpty() ? List.of(cache) : shards) {
      try {
        PromotableEngine engine = opened(one).promotable();
        caches.waitFor(engine::resign, LONGEST_LOOKUP.plus(Catalog.REMOVAL));
      } catch (EnsembleException | CatalogException failure) {
        if (failed == null) {
          failed = failure;
        } else {
          failed.addSuppressed(failure);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  /**
   * Changes the cache of {@code to}'s name to the definition {@code to}: other sites, another mode
   * or other settings. The cache is read and written meanwhile, as {@link ChangeRun} describes. If
   * the same change is in progress already, this call joins it.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if a site is unknown
   * @throws UnsupportedOperationException with a record of an earlier format
   * @throws IllegalStateException for an SWMR cache that continues without one of its sites; and
   *     for a part of distributed caches whose parts may change, if it would not stay MWMR
   * @throws ChangeInProgressException if another change is in progress; nothing was done
   */
  public ChangeRun alter(CacheDefinition to) {
    return alterations.alter(known(to.name()), to, 0);
  }

  /**
   * Takes over the change of a cache from its present mover, because that process is dead.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws ChangeInProgressException if the change ended meanwhile and another one has begun;
   *     nothing was done
   */
  public ChangeRun resumeChange(String cache) {
    return alterations.resume(known(cache));
  }

  /** The changes of caches that are in progress, and the operations on them. */
  public CacheChanges changes() {
    return new CacheChanges(alterations);
  }

  /**
   * The number of replicas of a cache that is open here, and the missing ones, as of the last check
   * of this process. While sites answer, that check was two to eight seconds ago. Sends no request.
   * Empty before the first check, and if the cache is not open here.
   */
  public Optional<CacheRedundancy> redundancy(String cache) {
    return caches.get(cache).flatMap(open -> caches.redundancy().of(cache));
  }

  /**
   * As {@link #redundancy}, for the cache of the record {@code stored}. If the cache is not open
   * here, this process checks it for a minute from now on, which connects the process to the
   * cache's sites. Sends no request and returns immediately. A replica that was not checked yet
   * counts as present, unless its site is suspected or down.
   */
  public CacheRedundancy redundancyOf(StoredDefinition stored) {
    caches.redundancy().request(stored);
    return caches.redundancy().of(stored);
  }

  /**
   * Checks now how many replicas a cache has, and which are missing: one request to each,
   * concurrently, for at most ten seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or if it is distributed
   */
  public CacheRedundancy checkRedundancy(String cache) {
    return new RedundancyCheck(federation, caches).of(known(cache));
  }

  /**
   * As {@link #redundancyOf} if the cache was checked; otherwise as {@link #checkRedundancy}.
   *
   * @param stored the cache's record
   */
  public CacheRedundancy knownRedundancy(StoredDefinition stored) {
    CacheRedundancy known = redundancyOf(stored);
    return caches.redundancy().isChecked(stored)
        ? known
        : new RedundancyCheck(federation, caches).of(stored);
  }

  /**
   * Registers {@code listener} for changes in the redundancy of caches that are open here: replicas
   * became missing, or are no longer missing. Ensemble calls the listener within eight seconds, on
   * a thread that the listener must not block. The first call for a cache comes when replicas are
   * missing.
   *
   * @return ends the registration when it is closed
   */
  public AutoCloseable listenToRedundancy(Consumer<CacheRedundancy> listener) {
    return caches.redundancy().listen(listener);
  }

  /**
   * The entry of a key at each site of a cache, for diagnosis. The entries are read from the sites
   * themselves, independently of the cache's own answer. Changes nothing. Two round trips to each
   * site, all concurrently, for at most ten seconds. After two concurrent writes some sites may
   * show the one and some the other.
   *
   * @return one view for each site, in the order of the definition
   * @throws NoSuchElementException if there is no such cache, or if it is distributed
   * @throws IllegalArgumentException if the key cannot be encoded
   * @throws PrivateCacheException if keys are encrypted, and there is no keyset
   */
  public List<SiteView> explain(String cache, Object key) {
    StoredDefinition stored = known(cache).served();
    UnaryOperator<Bytes> naming =
        stored.definition().privacy() == Privacy.VALUES_AND_KEYS
                && caches.opened(stored).faces().running() instanceof EncryptingEngine sealing
            ? sealing::stored
            : UnaryOperator.identity();
    return caches.waitFor(
        () -> views.of(stored, key, naming, LONGEST_LOOKUP), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
  }

  /**
   * A cache, distributed or not, as its encoded entries with their times of expiry, for programs
   * that copy it. Opens the cache if necessary.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws PrivateCacheException if the cache is private: its values are bound to it
   */
  public EncodedCache encoded(String cache) {
    return distributed
        .found(cache)
        .orElseThrow(() -> new NoSuchElementException("no such cache: " + cache))
        .encoded();
  }

  /** The distributed caches whose parts change. */
  public CacheParts parts() {
    return parts;
  }

  /**
   * Releases the changes that this process carries out, so that others take them over. Waits
   * briefly for the catalog.
   */
  void endMovers() {
    CompletableFuture<?> told = movers.stop().toCompletableFuture();
    if (!federation.scheduler().ownsCurrentThread()) {
      BlockingCall.poll(() -> told.isDone() ? told : null, OpenCaches.LONGEST_FAREWELL);
    }
  }

  /**
   * Whether {@link FormerStorePolicy#DISCARD} may help after {@link #recoverSite} failed with
   * {@code why}. True if the store refuses permanently, or if a single node that does not answer
   * holds it.
   *
   * @throws NoSuchElementException if there is no such cache
   */
  public boolean canDiscard(String cache, SiteException why) {
    return why.reason() == SiteException.Reason.DEGRADED
        || (why.reason() == SiteException.Reason.UNREACHABLE
            && SiteHandle.kindOf(known(cache).definition()) == StoreKind.REPLICA);
  }

  private ManagedCache opened(String cache) {
    return caches.opened(known(cache));
  }

  private StoredDefinition known(String cache) {
    return stored(cache).orElseThrow(() -> new NoSuchElementException("no such cache: " + cache));
  }
}
