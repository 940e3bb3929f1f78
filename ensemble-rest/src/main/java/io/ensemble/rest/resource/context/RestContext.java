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
  private final List<AutoCloseable> streaming = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> closing = new CopyOnWriteArrayList<>();
  private final List<Consumer<String>> deletions = new CopyOnWriteArrayList<>();
  private final ConcurrentMap<String, EnsembleCache<Object, Object>> open =
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
  public SiteEntry admitted(SiteEntry wanted) {
    if (siteRules.isEmpty()) {
      return wanted;
    }
    siteRules.get().check(wanted);
    return siteRules.get().admitted(wanted);
  }

  /**
   * The cache of that name, opened at the first use. Fails with {@link
   * io.ensemble.rest.http.ProblemException} if there is none.
   */
  CompletionStage<EnsembleCache<Object, Object>> cache(String name) {
    EnsembleCache<Object, Object> known = open.get(name);
    return known != null
        ? CompletableFuture.completedFuture(known)
        : blockingTaskPool.waitFor(() -> opened(name));
  }

  /** The cache of that name; blocks. All callers get the same object until {@link #forget}. */
  EnsembleCache<Object, Object> opened(String name) {
    EnsembleCache<Object, Object> known = open.get(name);
    if (known != null) {
      return known;
    }
    EnsembleCache<Object, Object> found = manager.getCache(name);
    if (found == null) {
      throw Problem.notFound("cache", name);
    }
    EnsembleCache<Object, Object> first = open.putIfAbsent(name, found);
    return first == null ? found : first;
  }

  /**
   * Applies {@code use} to the cache of that name. If the open cache was deleted, the call had no
   * effect on the present cache of that name. In this case {@code use} is applied once more, to the
   * present one.
   */
  public <R> CompletionStage<R> on(
      String name, Function<EnsembleCache<Object, Object>, CompletionStage<R>> use) {
    return tried(name, use)
        .handle(
            (done, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(done);
              }
              failed(name, failure);
              return ProblemMapper.bare(failure) instanceof CacheDeletedException
                  ? tried(name, use).whenComplete((again, why) -> failed(name, why))
                  : CompletableFuture.<R>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  private <R> CompletionStage<R> tried(
      String name, Function<EnsembleCache<Object, Object>, CompletionStage<R>> use) {
    return cache(name).thenCompose(use);
  }

  /** Like {@link #on}, but blocks. */
  public <R> R waitingOn(String name, Function<EnsembleCache<Object, Object>, R> use) {
    try {
      return use.apply(opened(name));
    } catch (CacheDeletedException gone) {
      forget(name);
      return use.apply(opened(name));
    } catch (RuntimeException e) {
      failed(name, e);
      throw e;
    }
  }

  /**
   * Accepts sites to which a cache may be assigned. Blocks for the catalog.
   *
   * @param there the present sites of the cache
   * @param caller receives the list of known sites, if it may see them
   * @throws ProblemException if a site is unknown or is being drained; the problem names the first
   *     such site
   */
  public void checkKnown(List<String> sites, List<String> there, RestCaller caller) {
    Map<String, SiteEntry.State> known = new TreeMap<>();
    manager.siteNames().forEach(site -> known.put(site, SiteEntry.State.SERVING));
    manager.membership().entries().forEach(site -> known.put(site.name(), site.state()));
    for (int i = 0; i < sites.size(); i++) {
      String site = sites.get(i);
      SiteEntry.State state = known.get(site);
      if (state == null) {
        throw unknownSite("sites", i, site, known.keySet(), caller);
      }
      if (state == SiteEntry.State.DRAINING && !there.contains(site)) {
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
  public static ProblemException unknownSite(
      String list, int index, String site, Set<String> known, RestCaller caller) {
    String wanted = caller.seesSites() ? "one of " + known : "a site of the federation";
    return Problem.invalid("%s[%d]".formatted(list, index), wanted, site);
  }

  /**
   * Drops the open cache if a call on it failed because the cache was deleted; the next request
   * opens it again.
   */
  void failed(String name, @Nullable Throwable failure) {
    Throwable bare = failure == null ? null : ProblemMapper.bare(failure);
    if (bare instanceof CacheDeletedException) {
      deleted(name);
    } else if (bare instanceof SitesNotKnownHereException
        || (bare != null && bare.getClass() == IllegalStateException.class)) {
      forget(name);
    }
  }

  /** Drops the state of a deleted cache. */
  public void deleted(String name) {
    forget(name);
    deletions.forEach(told -> told.accept(name));
  }

  /**
   * Registers {@code told}, which receives the name of each cache found to be deleted. It must not
   * block.
   */
  public void onDeletion(Consumer<String> told) {
    deletions.add(told);
  }

  /** Drops the open cache; the next request opens it again. */
  public void forget(String name) {
    open.remove(name);
  }

  /** Registers {@code one} to be closed with this context. */
  public <T extends AutoCloseable> T closing(T one) {
    closing.add(one);
    return one;
  }

  /**
   * Registers {@code one} to be closed before the wait for requests in progress, because a stream
   * does not end by itself.
   */
  public <T extends AutoCloseable> T streaming(T one) {
    streaming.add(one);
    return one;
  }

  /** Closes the streams, which do not end by themselves. */
  public void endStreams() {
    close(streaming);
  }

  /** Closes the resources of the endpoints. The manager stays open. */
  @Override
  public void close() {
    close(streaming);
    close(closing);
  }

  private static void close(List<AutoCloseable> all) {
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (Exception e) {
        LOG.warn("a resource could not be closed", e);
      }
    }
  }
}
