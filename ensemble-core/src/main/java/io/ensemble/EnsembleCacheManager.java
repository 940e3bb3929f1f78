package io.ensemble;

import io.ensemble.cache.Blocking;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.face.CacheFaces;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
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

  private static final Duration LONGEST_LOOKUP = Duration.ofSeconds(10);
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(2);

  private final Federation federation;
  private final Catalog catalog;
  private final Codec codec;
  private final Map<Mode, EngineFactory> engines;

  // Both belong to this object's lock.
  private final Map<String, OpenedCache> open = new TreeMap<>();
  private boolean stopped;

  EnsembleCacheManager(Federation federation, Codec codec, Map<Mode, EngineFactory> engines) {
    this.federation = federation;
    this.codec = codec;
    this.engines = Map.copyOf(engines);
    this.catalog =
        new Catalog(
            federation.sites(),
            federation.definitions(),
            federation.scheduler(),
            federation::newToken);
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
   * @throws QuorumUnavailableException if too few sites could be had: a majority in MWMR, one in
   *     WEAK; nothing was created. Sites that are missing otherwise count as down until {@link
   *     #recoverSite}
   * @throws io.ensemble.site.SiteException if a site cannot give what the mode needs, or does not
   *     let us in; nothing was created
   */
  public <K, V> EnsembleCache<K, V> createCache(CacheDefinition definition) {
    engine(definition.mode());
    Duration longest = federation.administration();
    return opened(
        waitFor(
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
    OpenedCache known;
    synchronized (this) {
      known = running().get(name);
    }
    if (known != null) {
      return known.faces().cache();
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
    return waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /** The names of all caches that there are, open or not, sorted. */
  @Override
  public Set<String> getCacheNames() {
    return waitFor(() -> federation.definitions().list(), LONGEST_LOOKUP);
  }

  /** The names of the sites, sorted. */
  public Set<String> siteNames() {
    return new TreeSet<>(federation.sites().keySet());
  }

  /** Closes a cache here; without effect if it is not open. What it holds stays. */
  @Override
  public void stopCache(String name) {
    OpenedCache closing;
    synchronized (this) {
      closing = open.remove(name);
    }
    if (closing != null) {
      close(List.of(closing));
    }
  }

  /**
   * Deletes a cache and all that it holds, for everyone. A store at a site that cannot be reached
   * stays there, and nobody uses it.
   *
   * @return false if there is none
   */
  public boolean deleteCache(String name) {
    boolean deleted = waitFor(() -> catalog.delete(name), LONGEST_LOOKUP.plus(Catalog.REMOVAL));
    stopCache(name);
    return deleted;
  }

  /**
   * Gives a cache a new store at a site that has lost its own, filled from the other sites. Until
   * it returns the site counts as down; after a failure it still does, and this may be repeated.
   *
   * @param timeout how long it may take
   * @return how many keys were copied
   * @throws NoSuchElementException if there is no such cache
   * @throws IllegalArgumentException if the cache is not at that site
   * @throws IllegalStateException if the site has its store: there is nothing to recover
   * @throws io.ensemble.site.SiteException while the site cannot be reached
   * @throws QuorumUnavailableException if too few of the other sites answer
   */
  public long recoverSite(String cache, String site, Duration timeout) {
    StoredDefinition stored =
        stored(cache).orElseThrow(() -> new NoSuchElementException("no such cache: " + cache));
    if (!stored.definition().sites().contains(site)) {
      throw new IllegalArgumentException(
          "the cache is not at that site; wanted one of %s, came '%s'; cache=%s"
              .formatted(stored.definition().sites(), site, cache));
    }
    opened(stored);
    OpenedCache here = here(cache);
    if (!(here.faces().engine() instanceof Recoverable recoverable)) {
      throw new UnsupportedOperationException(
          "the engine of this mode cannot recover a site; mode=" + stored.definition().mode());
    }
    Deadline deadline = Deadline.after(timeout, federation.scheduler());
    Catalog.Recovered recovered =
        waitFor(
            () -> catalog.recover(stored, site, recoverable, deadline),
            timeout.plus(Catalog.REMOVAL));
    here.renew(recovered.stored(), site);
    waitFor(here::whenStoresAreSettled, OpenedCache.SETTLING);
    return recovered.keys();
  }

  /** As the other method, within ten minutes. */
  public long recoverSite(String cache, String site) {
    return recoverSite(cache, site, Duration.ofMinutes(10));
  }

  /**
   * Nothing to do: a manager runs from the beginning.
   *
   * @throws IllegalStateException if it is stopped
   */
  @Override
  public synchronized void start() {
    running();
  }

  /**
   * Closes all caches here, and the sites and the scheduler that the builder made. Waits a moment
   * for copies of WEAK writes that are still on their way.
   */
  @Override
  public void stop() {
    List<OpenedCache> closing;
    synchronized (this) {
      if (stopped) {
        return;
      }
      stopped = true;
      closing = List.copyOf(open.values());
      open.clear();
    }
    close(closing);
    federation.close();
  }

  /** Gives what was acknowledged a moment to reach the sites that it is still on its way to. */
  private void close(List<OpenedCache> closing) {
    if (!federation.scheduler().ownsCurrentThread()) {
      Deadline soon = Deadline.after(LONGEST_FAREWELL, federation.scheduler());
      closing.stream()
          .map(cache -> cache.drained(soon))
          .toList()
          .forEach(
              drained -> Blocking.result(() -> drained, LONGEST_FAREWELL, federation.scheduler()));
    }
    closing.forEach(cache -> cache.faces().close());
  }

  @Override
  public void close() {
    stop();
  }

  private synchronized Map<String, OpenedCache> running() {
    if (stopped) {
      throw new IllegalStateException("the manager is stopped: build another");
    }
    return open;
  }

  private synchronized OpenedCache here(String cache) {
    OpenedCache found = running().get(cache);
    if (found == null) {
      throw new IllegalStateException("the cache was stopped meanwhile; cache=" + cache);
    }
    return found;
  }

  /** Opens it, or finds it open; one that has changed since is opened anew. */
  private <K, V> EnsembleCache<K, V> opened(StoredDefinition stored) {
    OpenedCache former = null;
    OpenedCache now;
    boolean isNew = false;
    synchronized (this) {
      String name = stored.definition().name();
      now = running().get(name);
      if (now == null || !now.stored().definition().equals(stored.definition())) {
        former = now;
        isNew = true;
        now = open(stored);
        open.put(name, now);
      }
    }
    if (former != null) {
      former.faces().close();
    }
    if (isNew) {
      waitFor(now::whenStoresAreSettled, OpenedCache.SETTLING);
    }
    return now.faces().cache();
  }

  private OpenedCache open(StoredDefinition stored) {
    CacheDefinition definition = stored.definition();
    if (!federation.sites().keySet().containsAll(definition.sites())) {
      throw new IllegalStateException(
          "the cache has sites that this manager does not know; cache=%s wanted=%s known=%s"
              .formatted(definition.name(), definition.sites(), siteNames()));
    }
    CacheMetrics metrics =
        CacheMetrics.of(federation.registry(), definition.name(), definition.mode());
    List<SiteHandle> handles =
        definition.sites().stream().map(site -> federation.handle(site, stored, metrics)).toList();
    CacheEngine engine =
        engine(definition.mode())
            .open(
                new OpenCache(
                    definition,
                    List.copyOf(handles),
                    federation.localSite().filter(definition.sites()::contains),
                    federation.scheduler(),
                    federation.clock(),
                    federation.newWriter(),
                    metrics));
    CacheFaces faces =
        new CacheFaces(
            definition,
            engine,
            codec,
            federation.scheduler(),
            metrics,
            federation.clock()::physicalMicros,
            () -> stopCache(definition.name()));
    return new OpenedCache(stored, faces, handles, federation.scheduler());
  }

  private EngineFactory engine(Mode mode) {
    EngineFactory engine = engines.get(mode);
    if (engine == null) {
      throw new IllegalStateException("the manager has no engine for a mode; mode=" + mode);
    }
    return engine;
  }

  private <T extends @Nullable Object> T waitFor(
      Supplier<CompletionStage<T>> step, Duration longest) {
    synchronized (this) {
      running();
    }
    return Blocking.result(step, longest, federation.scheduler());
  }
}
