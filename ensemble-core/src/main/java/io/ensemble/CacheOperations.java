package io.ensemble;

import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.PromotableEngine;
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
 * What an operator does with caches that are there: to give one that lost a site its store again,
 * to say whose turn it is, to make it another one. Methods wait, and fail with {@link
 * CatalogException} and {@link IllegalStateException}, as {@link EnsembleCacheManager} says.
 * Thread-safe.
 */
public abstract sealed class CacheOperations permits EnsembleCacheManager {

  static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  /** How long a few keys may take to be encrypted anew. */
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

  /** What a cache is and which lives its stores have; empty if there is none, or distributed. */
  public Optional<StoredDefinition> stored(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /** All caches as the catalog has them; a read for each. */
  public Inventory inventory() {
    return caches.waitFor(() -> federation.definitions().inventory(), LONGEST_LOOKUP);
  }

  /**
   * Where the cache of {@code placementPolicy} would be placed now, among the sites of this
   * manager, and why; where it is, if it is there and nothing is better. Their labels and states
   * are the catalog's, their figures their own; one that does not answer within five seconds is
   * taken only when there are too few others. Decides nothing.
   *
   * @throws io.ensemble.placement.PlacementImpossibleException if too few sites may hold it, naming
   *     for each the reason
   */
  public PlacementResult place(PlacementPolicy placementPolicy) {
    return placing.place(placementPolicy);
  }

  /**
   * What was decided when a cache was {@linkplain EnsembleCacheManager#createCache(PlacementPolicy,
   * CacheDefinition.Builder) placed}; empty if its sites were given, or there is none.
   */
  public Optional<StoredPlacement> placement(String cache) {
    return placing.placement(cache);
  }

  /**
   * Gives a cache a new store at a site that has lost its own, filled from the other sites. Until
   * it returns the site counts as down; after a failure it still does, and this may be repeated.
   * (Of an SWMR cache at two sites the other one must have all; the site counts from when it begins
   * to be filled; a repeated call waits until it is, and then says that it is intact.) A site whose
   * nodes are just starting is tried again until {@code timeout}; one at which nobody listens, or
   * that has too few nodes for its store, for ten seconds. Of a site that holds several replicas
   * each that is lost is recovered, one after the other, each within {@code timeout}; the name of
   * one, {@code SITE/N}, recovers that alone.
   *
   * @param timeout how long it may take
   * @param former what becomes of the store that the site has
   * @return how many keys were copied
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws StoreIntactException if the site has its store, which is not to be {@linkplain
   *     FormerStorePolicy#GIVE_UP given up}
   * @throws io.ensemble.site.SiteException of that site, if it could not be had in time, does not
   *     let us in, or if its store {@link io.ensemble.site.SiteException.Reason#DEGRADED refuses}
   *     and is not to be given up
   * @throws QuorumUnavailableException if too few of the other sites answer; then nothing was given
   *     up, unless they fell silent only later
   * @throws CacheDeletedException if the cache was deleted meanwhile
   * @throws SiteIncompleteException of an SWMR cache at two sites, if the other one does not have
   *     all yet; nothing was given up
   * @throws SplitBrainException if the site has gone on alone, as the other one has, and what it
   *     has is not to be given up
   */
  public long recoverSite(String cache, String site, Duration timeout, FormerStorePolicy former) {
    StoredDefinition stored = known(cache);
    ManagedCache here = caches.opened(stored);
    List<String> replicas = ReplicaName.at(site, stored.definition().sites());
    return replicas.size() < 2
        ? changes.recover(here, stored, site, timeout, former)
        : recoverEach(here, stored, replicas, timeout, former);
  }

  /** One that fails keeps none of the others from being recovered. */
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

  /** A store that answers is not discarded because another one at its site does not. */
  private long recoverOne(
      ManagedCache here,
      StoredDefinition stored,
      String replica,
      Duration timeout,
      FormerStorePolicy former) {
    try {
      return changes.recover(here, stored, replica, timeout, FormerStorePolicy.MUST_BE_LOST);
    } catch (SiteException why) {
      if (former == FormerStorePolicy.GIVE_UP && mayGiveUp(stored.definition().name(), why)) {
        return changes.recover(here, stored, replica, timeout, FormerStorePolicy.GIVE_UP);
      }
      throw why;
    }
  }

  /**
   * As the other method, of a site that must have {@linkplain FormerStorePolicy lost} its store.
   */
  public long recoverSite(String cache, String site, Duration timeout) {
    return recoverSite(cache, site, timeout, FormerStorePolicy.MUST_BE_LOST);
  }

  /** As the other method, within ten minutes. */
  public long recoverSite(String cache, String site) {
    return recoverSite(cache, site, Duration.ofMinutes(10));
  }

  /**
   * Brings every value of a private cache under the present key of its keyset, while the cache is
   * read and written; a value that is written meanwhile stays as it was written. Its caller waits
   * until it is over. May be repeated, and should be until it finds nothing to do, before a former
   * key is retired: writers with a former keyset may have written in the meantime, and in WEAK a
   * site may not have heard of all yet. Two round trips for each value that is encrypted anew.
   *
   * @param keysPerSecond how many keys it may look at; 0 for as many as can be
   * @param progress told after every few keys, on the caller's thread
   * @throws NoSuchElementException if there is no such cache
   * @throws PrivateCacheException if it is not private, or there is no keyset for it
   * @throws QuorumUnavailableException if it cannot be walked over; what was done is done
   * @throws WriterPresentException in SWMR, while another process writes: it is a writer, so the
   *     process that writes is the one to call it; what was done is done
   */
  public Reencryption reencrypt(String cache, long keysPerSecond, Consumer<Reencryption> progress) {
    if (keysPerSecond < 0) {
      throw new IllegalArgumentException("a bound is 0 or more; keysPerSecond=" + keysPerSecond);
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
   * Whose turn it is in an SWMR cache: its primary site and its writer. Asks a majority of its
   * sites: one round trip, two when they disagree, for no longer than a lease and the drift, 2.2
   * seconds.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws UnsupportedOperationException if it is not in SWMR
   * @throws QuorumUnavailableException if too few of its sites say
   */
  public PrimaryTerm primaryTerm(String cache) {
    PromotableEngine engine = opened(cache).promotable();
    Deadline deadline = Deadline.after(LONGEST_LOOKUP, federation.scheduler());
    return caches.waitFor(() -> engine.term(deadline), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
  }

  /**
   * Makes {@code site} the primary of an SWMR cache and waits until it is; at once if it is
   * already. The writer stays the writer. Between the two terms nothing is read or written for a
   * lease and the drift, 2.2 seconds. Some five round trips besides. May be repeated.
   *
   * @param timeout how long it may take
   * @return the term in which the site is the primary
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws UnsupportedOperationException if it is not in SWMR
   * @throws SiteIncompleteException at two sites, if the site is not filled again yet
   * @throws QuorumUnavailableException if the site cannot be read: then nothing was changed; or if
   *     it has not come about in time: then it still may
   */
  public PrimaryTerm promote(String cache, String site, Duration timeout) {
    ManagedCache here = opened(cache);
    String replica =
        here.faces()
            .definition()
            .replicaAt(Optional.of(site))
            .orElse(site); // Of several, the first.
    return changes.promote(here, replica, timeout);
  }

  /**
   * Has an SWMR cache at two sites go on at {@code site} alone, because the other one, {@code
   * without}, is lost or is to go. With two sites nothing is read or written while either is away,
   * and nobody but an operator can tell a site that is lost from one that is cut off.
   *
   * <p>Safe whether {@code without} is dead, cut off or well, whoever can still reach it, and
   * however often and by whomever this is called: all that a majority acknowledged is at both
   * sites, what happens at {@code without} from now on is acknowledged to nobody, and it must be
   * {@linkplain #recoverSite recovered}, filled anew from {@code site}, before it counts again.
   * Where the primary alone acknowledges, and that was {@code without}, up to the cache's window of
   * writes is lost, and reported by a writer that lives. It is not safe to do this for the one site
   * in this catalog, and for the other in a copy of it: see {@link SplitBrainException}.
   *
   * <p>Nothing is read or written from now on for a lease and the drift, 2.2 seconds; other
   * processes follow when they are refused by {@code site}, or within five seconds, if they can
   * read the definitions. Needs {@code site} and the definitions only. Some ten round trips. At
   * once when it has been done; to be repeated after a failure, for it may have been done in half,
   * and then nothing is read or written until it has succeeded, for either site.
   *
   * @param timeout how long it may take
   * @return the term in which the site is the primary
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if it is not at exactly these two sites
   * @throws UnsupportedOperationException if it is not in SWMR
   * @throws SiteIncompleteException if {@code site} is the one without which the cache has gone on,
   *     or is not filled again yet; nothing was changed
   * @throws io.ensemble.site.SiteException if {@code site} cannot be reached
   * @throws QuorumUnavailableException if it has not come about in time: then it still may
   */
  public PrimaryTerm promote(String cache, String site, String without, Duration timeout) {
    return changes.goOn(opened(cache), site, without, timeout);
  }

  /**
   * Gives up the writer's place of an SWMR cache, if this manager has it, so that another process
   * may write at once; the next write here takes it again, if it is free. Two round trips, more
   * when the writer's own sign of life comes between. Unlike {@link EnsembleCacheManager#stopCache}
   * and {@link EnsembleCacheManager#stop}, which do so too, it does not wait until a majority holds
   * what the primary alone has acknowledged. A process that ends without is followed when its lease
   * has run out. For a cache with shards this is done for each shard, one after the other; the
   * first failure is thrown after the last one.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws UnsupportedOperationException if it is not in SWMR
   * @throws QuorumUnavailableException if too few of its sites answer
   * @throws UnknownOutcomeException if too few answered in the end; the place may be given up or
   *     not, and this may be repeated after either
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
   * Makes the cache of {@code to}'s name what {@code to} says, with other sites, another mode or
   * other settings, while it is read and written, as {@link ChangeRun} says. If the same change is
   * under way already it is joined.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if a site is unknown
   * @throws UnsupportedOperationException with a record of an earlier format
   * @throws IllegalStateException of an SWMR cache that goes on without one of its sites, and of a
   *     part of distributed caches whose parts may change that would not stay MWMR
   * @throws ChangeInProgressException if another change is under way; nothing was done
   */
  public ChangeRun alter(CacheDefinition to) {
    return alterations.alter(known(to.name()), to, 0);
  }

  /**
   * Takes over the change of a cache, whoever carries it out now, because that process is dead.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws ChangeInProgressException if it ended meanwhile and another has begun; nothing was done
   */
  public ChangeRun resumeChange(String cache) {
    return alterations.resume(known(cache));
  }

  /** The changes of caches that are under way, and what can be done about them. */
  public CacheChanges changes() {
    return new CacheChanges(alterations);
  }

  /**
   * How many replicas a cache that is open here has, and which of them are missing, as this process
   * has last found it: two to eight seconds ago, while sites answer. Asks nobody. Empty before the
   * first check, and if the cache is not open here.
   */
  public Optional<CacheRedundancy> redundancy(String cache) {
    return caches.get(cache).flatMap(open -> caches.redundancy().of(cache));
  }

  /**
   * As {@link #redundancy}, of the cache that {@code stored} is the record of. If it is not open
   * here, this process checks it from now on for a minute, which connects it to the cache's sites.
   * Asks nobody and returns immediately. A replica that was not checked yet is not missing, unless
   * its site is suspected or down.
   */
  public CacheRedundancy redundancyOf(StoredDefinition stored) {
    caches.redundancy().request(stored);
    return caches.redundancy().of(stored);
  }

  /**
   * Checks now how many replicas a cache has, and which of them are missing: a request to each, at
   * the same time, for at most ten seconds.
   *
   * @throws NoSuchElementException if there is no such cache, or it is distributed
   */
  public CacheRedundancy checkRedundancy(String cache) {
    return new RedundancyCheck(federation, caches).of(known(cache));
  }

  /**
   * As {@link #redundancyOf}, where that was checked; else as {@link #checkRedundancy}.
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
   * Has {@code listener} called when the redundancy of a cache that is open here changes: replicas
   * are missing, or are no longer. It is called within eight seconds, on a thread that it must not
   * block, and first of a cache of which replicas are missing.
   *
   * @return ends that when it is closed
   */
  public AutoCloseable listenToRedundancy(Consumer<CacheRedundancy> listener) {
    return caches.redundancy().listen(listener);
  }

  /**
   * What each site of a cache holds of a key, for people who look: read from the sites themselves,
   * whatever the cache would answer. Changes nothing. Two round trips to each site, all at once,
   * for at most ten seconds; of two writes at once some sites may show the one and some the other.
   *
   * @return one view for each site, in the order of the definition
   * @throws NoSuchElementException if there is no such cache, or it is distributed
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

  /** Distributed caches whose parts change. */
  public CacheParts parts() {
    return parts;
  }

  /** Leaves the changes that this process carries out to others. Waits a moment for the catalog. */
  void endMovers() {
    CompletableFuture<?> told = movers.stop().toCompletableFuture();
    if (!federation.scheduler().ownsCurrentThread()) {
      BlockingCall.poll(() -> told.isDone() ? told : null, OpenCaches.LONGEST_FAREWELL);
    }
  }

  /**
   * Whether {@link FormerStorePolicy#GIVE_UP} may help where {@link #recoverSite} failed with
   * {@code why}: the store refuses for good, or one node alone holds it, which does not answer.
   *
   * @throws NoSuchElementException if there is no such cache
   */
  public boolean mayGiveUp(String cache, SiteException why) {
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
