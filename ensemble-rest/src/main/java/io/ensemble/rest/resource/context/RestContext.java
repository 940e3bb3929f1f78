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
 * What all endpoints work on: a manager, threads that may wait for it, limits, and the caches that
 * are open here. Thread-safe.
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

  /** Of {@code manager}, which stays the caller's. */
  public RestContext(
      EnsembleCacheManager manager, BlockingTaskPool blockingTaskPool, RestLimits limits) {
    this(manager, blockingTaskPool, limits, Optional.empty());
  }

  /**
   * As the other one, where sites may be registered by these rules only.
   *
   * @param siteRules empty for any
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
   * A site as it may be registered. Waits for names to be resolved.
   *
   * @throws io.ensemble.rest.http.ProblemException if it may not be
   */
  public SiteEntry admitted(SiteEntry wanted) {
    if (siteRules.isEmpty()) {
      return wanted;
    }
    siteRules.get().check(wanted);
    return siteRules.get().admitted(wanted);
  }

  /**
   * The cache of that name, opened if it is not. Fails with {@link
   * io.ensemble.rest.http.ProblemException} if there is none.
   */
  CompletionStage<EnsembleCache<Object, Object>> cache(String name) {
    EnsembleCache<Object, Object> known = open.get(name);
    return known != null
        ? CompletableFuture.completedFuture(known)
        : blockingTaskPool.waitFor(() -> opened(name));
  }

  /** As the other method, for who may wait. All get the same one until it is forgotten. */
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
   * What {@code use} makes of the cache of that name. Where the one that is open here turns out to
   * be gone, which does nothing to one that has its name now, it is used once more with that one.
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

  /** As {@link #on}, for who may wait. */
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
   * Passes sites that a cache may come to. Waits for the catalog.
   *
   * @param there where it is already
   * @param caller told which there are, if it may know
   * @throws ProblemException naming the first that there is not, or that is being drained
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
            Problem.bare(ProblemType.CONFLICT, "the site is being drained; no cache comes to it")
                .with("site", site));
      }
    }
  }

  /** The one at {@code index} of a list is no site; who may know is told which there are. */
  public static ProblemException unknownSite(
      String list, int index, String site, Set<String> known, RestCaller caller) {
    String wanted = caller.seesSites() ? "one of " + known : "a site of the federation";
    return Problem.invalid("%s[%d]".formatted(list, index), wanted, site);
  }

  /** Looks for the cache anew when it is next asked for, if a call on it failed for it is gone. */
  void failed(String name, @Nullable Throwable failure) {
    Throwable bare = failure == null ? null : ProblemMapper.bare(failure);
    if (bare instanceof CacheDeletedException) {
      deleted(name);
    } else if (bare instanceof SitesNotKnownHereException
        || (bare != null && bare.getClass() == IllegalStateException.class)) {
      forget(name);
    }
  }

  /** Lets go of what is kept of a cache that is gone. */
  public void deleted(String name) {
    forget(name);
    deletions.forEach(told -> told.accept(name));
  }

  /** Has {@code told} of each cache that is seen to be gone. Must not wait. */
  public void onDeletion(Consumer<String> told) {
    deletions.add(told);
  }

  /** Looks for the cache anew when it is next asked for. */
  public void forget(String name) {
    open.remove(name);
  }

  /** Has {@code one} closed with this. */
  public <T extends AutoCloseable> T closing(T one) {
    closing.add(one);
    return one;
  }

  /** Has {@code one} closed before requests are waited for that are under way: one does not end. */
  public <T extends AutoCloseable> T streaming(T one) {
    streaming.add(one);
    return one;
  }

  /** Ends what does not end by itself. */
  public void endStreams() {
    close(streaming);
  }

  /** Ends what endpoints keep. The manager stays open. */
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
        LOG.warn("something does not close", e);
      }
    }
  }
}
