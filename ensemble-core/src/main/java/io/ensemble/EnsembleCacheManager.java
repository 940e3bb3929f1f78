package io.ensemble;

import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.Promotable;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.Map;
import java.util.NoSuchElementException;
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
public final class EnsembleCacheManager implements BasicCacheContainer, AutoCloseable {

  /** The cache that {@link #getCache()} opens. */
  public static final String DEFAULT_CACHE = "default";

  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  private final Federation federation;
  private final Catalog catalog;
  private final OpenCaches caches;
  private final SiteChanges changes;
  private final Alterations alterations;
  private final Membership membership;

  EnsembleCacheManager(Federation federation, Codec codec, Map<Mode, EngineFactory> engines) {
    this.federation = federation;
    this.caches = new OpenCaches(federation, codec, engines);
    this.catalog =
        new Catalog(
            federation.sites(),
            federation.definitions(),
            federation.scheduler(),
            federation::newToken);
    this.changes = new SiteChanges(federation, catalog, caches);
    this.alterations = new Alterations(federation, catalog, caches);
    this.membership = new Membership(federation, caches, changes, alterations);
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
   * @throws io.ensemble.catalog.CacheExistsException if it is there with other settings
   * @throws QuorumUnavailableException if too few sites could be had: one in WEAK, else a majority;
   *     nothing was created. Sites that are missing otherwise count as down until {@link
   *     #recoverSite}
   * @throws io.ensemble.site.SiteException if a site cannot give what the mode needs, or does not
   *     let us in; nothing was created
   */
  public <K, V> EnsembleCache<K, V> createCache(CacheDefinition definition) {
    caches.engine(definition.mode());
    Duration longest = federation.administration();
    return opened(
        caches.waitFor(
            () -> catalog.create(definition, Deadline.after(longest, federation.scheduler())),
            longest.plus(Catalog.REMOVAL)));
  }

  /** Opens the cache of that name whatever its settings, and creates it if there is none. */
  public <K, V> EnsembleCache<K, V> getOrCreateCache(CacheDefinition definition) {
    Optional<StoredDefinition> stored = stored(definition.name());
    return stored.isPresent() ? opened(stored.get()) : createCache(definition);
  }

  /**
   * The cache of that name, null if there is none.
   *
   * @throws IllegalStateException if it has sites that this manager does not know
   */
  @Override
  public <K, V> @Nullable EnsembleCache<K, V> getCache(String name) {
    Optional<OpenedCache> known = caches.get(name);
    if (known.isPresent()) {
      return known.get().faces().cache();
    }
    return stored(name).<EnsembleCache<K, V>>map(this::opened).orElse(null);
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

  /** What a cache is and which lives its stores have; empty if there is none. */
  public Optional<StoredDefinition> stored(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /** The names of all caches that there are, open or not, sorted. */
  @Override
  public Set<String> getCacheNames() {
    return caches.waitFor(() -> federation.definitions().list(), LONGEST_LOOKUP);
  }

  /** The names of the sites that this manager knows so far, sorted. Asks nobody. */
  public Set<String> siteNames() {
    return federation.sites().names();
  }

  /** The sites of the federation: they join, are drained, and leave. */
  public Membership membership() {
    return membership;
  }

  /** Closes a cache here; without effect if it is not open. What it holds stays. */
  @Override
  public void stopCache(String name) {
    caches.stop(name);
  }

  /**
   * Deletes a cache and all that it holds, for everyone. Calls on it here fail with {@link
   * CacheDeletedException} from now on; in other processes as soon as they miss a store, after five
   * seconds at the latest while they can read the definitions. A store at a site that cannot be
   * reached stays there, nobody uses it, and it goes when a cache of this name is created again.
   *
   * @return false if there is none
   */
  public boolean deleteCache(String name) {
    Optional<StoredDefinition> deleted =
        caches.waitFor(() -> catalog.delete(name), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
    deleted.ifPresent(caches::wasDeleted);
    return deleted.isPresent();
  }

  /**
   * Gives a cache a new store at a site that has lost its own, filled from the other sites. Until
   * it returns the site counts as down; after a failure it still does, and this may be repeated.
   * (Of an SWMR cache at two sites the site counts from when it begins to be filled; a repeated
   * call waits until it is, and then says that it is intact.) A site whose nodes are just starting
   * is tried again until {@code timeout}; one at which nobody listens, or that has too few nodes
   * for its store, for ten seconds.
   *
   * @param timeout how long it may take
   * @param former what becomes of the store that the site has
   * @return how many keys were copied
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws StoreIntactException if the site has its store, which is not to be {@linkplain
   *     FormerStore#GIVE_UP given up}
   * @throws io.ensemble.site.SiteException of that site, if it could not be had in time, does not
   *     let us in, or if its store {@link io.ensemble.site.SiteException.Reason#DEGRADED refuses}
   *     and is not to be given up
   * @throws QuorumUnavailableException if too few of the other sites answer; then nothing was given
   *     up, unless they fell silent only later
   * @throws CacheDeletedException if the cache was deleted meanwhile
   * @throws BothSitesWentOnException if the site has gone on alone, as the other one has, and what
   *     it has is not to be given up
   */
  public long recoverSite(String cache, String site, Duration timeout, FormerStore former) {
    StoredDefinition stored = known(cache);
    return changes.recover(caches.opened(stored), stored, site, timeout, former);
  }

  /** As the other method, of a site that must have {@linkplain FormerStore lost} its store. */
  public long recoverSite(String cache, String site, Duration timeout) {
    return recoverSite(cache, site, timeout, FormerStore.MUST_BE_LOST);
  }

  /** As the other method, within ten minutes. */
  public long recoverSite(String cache, String site) {
    return recoverSite(cache, site, Duration.ofMinutes(10));
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
    Promotable engine = opened(cache).promotable();
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
    return changes.promote(opened(cache), site, timeout);
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
   * in this catalog, and for the other in a copy of it: see {@link BothSitesWentOnException}.
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
   * when the writer's own sign of life comes between. Unlike {@link #stopCache} and {@link #stop},
   * which do so too, it does not wait until a majority holds what the primary alone has
   * acknowledged. A process that ends without is followed when its lease has run out.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws UnsupportedOperationException if it is not in SWMR
   * @throws QuorumUnavailableException if too few of its sites answer
   * @throws UnknownOutcomeException if too few answered in the end; the place may be given up or
   *     not, and this may be repeated after either
   */
  public void resign(String cache) {
    Promotable engine = opened(cache).promotable();
    caches.waitFor(engine::resign, LONGEST_LOOKUP.plus(Catalog.REMOVAL));
  }

  /**
   * Makes the cache of {@code to}'s name what {@code to} says, with other sites, another mode or
   * other settings, while it is read and written, as {@link ChangeRun} says. If the same change is
   * under way already it is joined.
   *
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if a site is unknown
   * @throws UnsupportedOperationException from or to SWMR, or with a record of an earlier format
   * @throws ChangeUnderWayException if another change is under way; nothing was done
   */
  public ChangeRun alter(CacheDefinition to) {
    return alterations.alter(known(to.name()), to);
  }

  /**
   * Takes over the change of a cache, whoever carries it out now, because that process is dead.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   */
  public ChangeRun resumeChange(String cache) {
    return alterations.resume(known(cache));
  }

  private OpenedCache opened(String cache) {
    return caches.opened(known(cache));
  }

  private StoredDefinition known(String cache) {
    return stored(cache).orElseThrow(() -> new NoSuchElementException("no such cache: " + cache));
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
   * up.
   */
  @Override
  public void stop() {
    if (caches.stop()) {
      membership.close();
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
