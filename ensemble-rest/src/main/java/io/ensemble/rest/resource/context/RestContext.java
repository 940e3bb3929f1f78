package io.ensemble.rest.resource.context;

import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.SitesNotKnownHereException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.rest.RestLimits;
import io.ensemble.rest.access.SiteRegistrationRules;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.schedule.RequestListener;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state that all endpoints share: a manager, threads for blocking work, limits, and the open
 * caches. Thread-safe.
 */
public final class RestContext implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RestContext.class);

  private final EnsembleCacheManager manager;
  private final BlockingTaskPool blockingTaskPool;
  private final RestLimits limits;
  private final Optional<SiteRegistrationRules> siteRules;
  private final List<AutoCloseable> streams = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> resources = new CopyOnWriteArrayList<>();
  private final List<Consumer<String>> deletionListeners = new CopyOnWriteArrayList<>();
  private final ConcurrentMap<String, EnsembleCache<Object, Object>> openCaches =
      new ConcurrentHashMap<>();
  private final ConcurrentMap<String, CompletableFuture<EnsembleCache<Object, Object>>> openings =
      new ConcurrentHashMap<>();

  /** A context of {@code manager}, which remains the caller's. */
  public RestContext(
      EnsembleCacheManager manager, BlockingTaskPool blockingTaskPool, RestLimits limits) {
    this(manager, blockingTaskPool, limits, Optional.empty());
  }

  /**
   * A context with rules for the registration of sites.
   *
   * @param siteRules empty to allow any site
   */
  public RestContext(
      EnsembleCacheManager manager,
      BlockingTaskPool blockingTaskPool,
      RestLimits limits,
      Optional<SiteRegistrationRules> siteRules) {
    this.siteRules = siteRules;
    this.manager = manager;
    this.blockingTaskPool = blockingTaskPool;
    this.limits = limits;
  }

  public EnsembleCacheManager manager() {
    return manager;
  }

  public BlockingTaskPool workers() {
    return blockingTaskPool;
  }

  public RestLimits limits() {
    return limits;
  }

  /**
   * Checks a site to be registered. Blocks for name resolution.
   *
   * @throws io.ensemble.rest.http.ProblemException if the rules do not allow the site
   */
  public SiteEntry admitSite(SiteEntry site) {
    if (siteRules.isEmpty()) {
      return site;
    }
    siteRules.get().check(site);
    return siteRules.get().admitted(site);
  }

  /**
   * The cache of that name, opened at the first use. Fails with {@link
   * io.ensemble.rest.http.ProblemException} if there is none.
   */
  CompletionStage<EnsembleCache<Object, Object>> findOrOpen(String name) {
    EnsembleCache<Object, Object> openCache = openCaches.get(name);
    return openCache != null ? CompletableFuture.completedFuture(openCache) : openOnce(name);
  }

  /** Opens a cache; concurrent requests share the opening, and so one thread. */
  private CompletionStage<EnsembleCache<Object, Object>> openOnce(String name) {
    CompletableFuture<EnsembleCache<Object, Object>> opening = new CompletableFuture<>();
    CompletableFuture<EnsembleCache<Object, Object>> earlier = openings.putIfAbsent(name, opening);
    if (earlier != null) {
      return earlier;
    }
    CompletionStage<EnsembleCache<Object, Object>> opened;
    try {
      opened = blockingTaskPool.open(name, () -> openBlocking(name));
    } catch (RuntimeException busy) {
      opened = CompletableFuture.failedFuture(busy);
    }
    opened.whenComplete(
        (cache, failure) -> {
          openings.remove(name, opening);
          if (failure == null) {
            opening.complete(cache);
          } else {
            opening.completeExceptionally(failure);
          }
        });
    return opening;
  }

  /**
   * The cache of that name; blocks. All callers get the same object until {@link #dropOpenCache}.
   */
  EnsembleCache<Object, Object> openBlocking(String name) {
    EnsembleCache<Object, Object> openCache = openCaches.get(name);
    if (openCache != null) {
      return openCache;
    }
    EnsembleCache<Object, Object> cache = manager.getCache(name);
    if (cache == null) {
      throw Problem.notFound("cache", name);
    }
    EnsembleCache<Object, Object> previous = openCaches.putIfAbsent(name, cache);
    return previous == null ? cache : previous;
  }

  /**
   * Applies {@code use} to the cache of that name. If the open cache was deleted, the call had no
   * effect on the present cache of that name. In this case {@code use} is applied once more, to the
   * present one.
   */
  public <R> CompletionStage<R> callCache(
      String name, Function<EnsembleCache<Object, Object>, CompletionStage<R>> use) {
    // Requests that wait for one opening continue on its thread, which has another's listener.
    Function<EnsembleCache<Object, Object>, CompletionStage<R>> ownUse =
        RequestListener.carried(use);
    return callOnce(name, ownUse)
        .handle(
            (result, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(result);
              }
              handleFailure(name, failure);
              return ProblemMapper.unwrap(failure) instanceof CacheDeletedException
                  ? callOnce(name, ownUse).whenComplete((retried, why) -> handleFailure(name, why))
                  : CompletableFuture.<R>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  private <R> CompletionStage<R> callOnce(
      String name, Function<EnsembleCache<Object, Object>, CompletionStage<R>> use) {
    return findOrOpen(name).thenCompose(use);
  }

  /** Like {@link #callCache}, but blocks. */
  public <R> R callCacheBlocking(String name, Function<EnsembleCache<Object, Object>, R> use) {
    try {
      return use.apply(openBlocking(name));
    } catch (CacheDeletedException gone) {
      dropOpenCache(name);
      return use.apply(openBlocking(name));
    } catch (RuntimeException e) {
      handleFailure(name, e);
      throw e;
    }
  }

  /**
   * Accepts sites to which a cache may be assigned. Blocks for the catalog.
   *
   * @param currentSites the present sites of the cache
   * @param caller receives the list of known sites, if it may see them
   * @throws ProblemException if a site is unknown or is being drained; the problem names the first
   *     such site
   */
  public void requireKnownSites(List<String> sites, List<String> currentSites, RestCaller caller) {
    Map<String, SiteEntry.State> stateBySite = new TreeMap<>();
    manager.siteNames().forEach(site -> stateBySite.put(site, SiteEntry.State.SERVING));
    manager.membership().entries().forEach(site -> stateBySite.put(site.name(), site.state()));
    for (int i = 0; i < sites.size(); i++) {
      String site = sites.get(i);
      SiteEntry.State state = stateBySite.get(site);
      if (state == null) {
        throw toUnknownSiteProblem("sites", i, site, stateBySite.keySet(), caller);
      }
      if (state == SiteEntry.State.DRAINING && !currentSites.contains(site)) {
        throw new ProblemException(
            Problem.bare(
                    ProblemType.CONFLICT, "the site is being drained and accepts no further caches")
                .with("site", site));
      }
    }
  }

  /**
   * The problem for the unknown site at {@code index} of a list; a caller with the permission gets
   * the list of known sites.
   */
  public static ProblemException toUnknownSiteProblem(
      String field, int index, String site, Set<String> known, RestCaller caller) {
    String expected = caller.seesSites() ? "one of " + known : "a site of the federation";
    return Problem.invalid("%s[%d]".formatted(field, index), expected, site);
  }

  /**
   * Drops the open cache if a call on it failed because the cache was deleted; the next request
   * opens it again.
   */
  void handleFailure(String name, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : ProblemMapper.unwrap(failure);
    if (cause instanceof CacheDeletedException) {
      handleDeletion(name);
    } else if (cause instanceof SitesNotKnownHereException
        || (cause != null && cause.getClass() == IllegalStateException.class)) {
      dropOpenCache(name);
    }
  }

  /** Drops the state of a deleted cache. */
  public void handleDeletion(String name) {
    dropOpenCache(name);
    deletionListeners.forEach(listener -> listener.accept(name));
  }

  /**
   * Registers {@code listener}, which receives the name of each cache found to be deleted. It must
   * not block.
   */
  public void onDeletion(Consumer<String> listener) {
    deletionListeners.add(listener);
  }

  /** Drops the open cache; the next request opens it again. */
  public void dropOpenCache(String name) {
    openCaches.remove(name);
  }

  /** Registers {@code resource} to be closed with this context. */
  public <T extends AutoCloseable> T registerResource(T resource) {
    resources.add(resource);
    return resource;
  }

  /**
   * Registers {@code stream} to be closed before the wait for requests in progress, because a
   * stream does not end by itself.
   */
  public <T extends AutoCloseable> T registerStream(T stream) {
    streams.add(stream);
    return stream;
  }

  /** Closes the streams, which do not end by themselves. */
  public void endStreams() {
    close(streams);
  }

  /** Closes the resources of the endpoints. The manager stays open. */
  @Override
  public void close() {
    close(streams);
    close(resources);
  }

  private static void close(List<AutoCloseable> closeables) {
    for (AutoCloseable closeable : closeables) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.warn("a resource could not be closed", e);
      }
    }
  }
}
