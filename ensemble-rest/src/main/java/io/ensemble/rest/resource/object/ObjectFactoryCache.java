package io.ensemble.rest.resource.object;

import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.sync.NamedLock;
import io.ensemble.objects.sync.SharedCounter;
import io.ensemble.objects.sync.Synchronizers;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.Representation;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.TreePageCache;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersionedCacheBuilder;
import io.ensemble.versioning.VersioningException;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.infinispan.commons.api.BasicCache;

/**
 * Atomic objects on the MWMR caches of a federation: a factory for each cache with requests. The
 * number is bounded: at the bound, the least recently used factory without users is closed.
 * Thread-safe.
 */
public final class ObjectFactoryCache implements AutoCloseable {

  /**
   * The thing that does not exist before the first version is added; a member of the problem that
   * reports this.
   */
  static final String VERSIONS = "versions";

  static final int MOST_CACHES = 64;
  private static final int MOST_HANDLES = 1_024;

  private static final int MOST_TREES = 16;

  /** The bound of the copies of pages of all trees. */
  static final long TREE_PAGE_BYTES = 64L << 20;

  private static final float USUAL_LOAD = 0.75f;
  private static final long FAREWELL_MILLIS = 2_000;

  private final RestContext context;

  /** In the order of their last use, the oldest first. */
  private final Map<String, OfCache> objectsByCache =
      new LinkedHashMap<>(MOST_CACHES, USUAL_LOAD, true);

  private final BackgroundCloser closer;

  /** The caches with a check whether they were deleted. */
  private final Set<String> checkedCaches = ConcurrentHashMap.newKeySet();

  private final TreePageCache treePages = TreePageCache.ofBytes(TREE_PAGE_BYTES);

  private boolean closed;

  public ObjectFactoryCache(RestContext context) {
    this.context = context;
    this.closer = new BackgroundCloser(context.workers());
    context.onDeletion(this::dropCache);
  }

  /** Drops the objects of a deleted cache. */
  private void dropCache(String name) {
    OfCache dropped;
    synchronized (this) {
      dropped = objectsByCache.remove(name);
    }
    if (dropped != null) {
      closer.close(dropped::close);
    }
  }

  /** The objects of a cache. */
  record OfCache(
      EnsembleCache<Object, Object> cache,
      AtomicObjectFactory factory,
      Synchronizers synchronizers,
      HandleCache<SharedCounter> counters,
      HandleCache<NamedLock> locks,
      HandleCache<VersionedCache<String, Representation, HybridTime>> versions,
      HandleCache<SharedTree> trees,
      AtomicInteger users) {

    /** The cache's versions, ordered by hybrid times, of values that carry their type. */
    VersionedCache<String, Representation, HybridTime> openVersions() {
      return versionsBuilder().open();
    }

    /** The same for readers; creates nothing. */
    VersionedCache<String, Representation, HybridTime> openVersionsIfCreated() {
      return versionsBuilder()
          .openIfCreated()
          .orElseThrow(() -> Problem.notFound(VERSIONS, "of " + cache.getName()));
    }

    private VersionedCacheBuilder<String, Representation, HybridTime> versionsBuilder() {
      return VersionedCache.builder(
          factory,
          "versions",
          BinaryCodec.TEXT,
          new BinaryCodec<>(Representation::toBytes, Representation::fromBytes),
          new HybridTimes());
    }

    void close() {
      counters.close();
      locks.close();
      versions.close();
      trees.close();
      factory.close();
    }
  }

  /**
   * The objects of a cache, with one more user. Fails with {@link ProblemException} if the cache
   * cannot have objects.
   */
  private CompletionStage<OfCache> acquire(String name, EnsembleCache<Object, Object> cache) {
    checkMode(name, cache);
    synchronized (this) {
      OfCache open = objectsByCache.get(name);
      if (open != null && open.cache() == cache) {
        open.users().incrementAndGet();
        return CompletableFuture.completedFuture(open);
      }
    }
    return context.workers().open(name, () -> openObjects(name, cache));
  }

  /** Checks the mode, because the name may belong to another cache since the cache was opened. */
  private static void checkMode(String name, EnsembleCache<Object, Object> cache) {
    if (cache.definition().mode() != Mode.MWMR) {
      throw toModeProblem(name);
    }
  }

  private static ProblemException toModeProblem(String name) {
    return new ProblemException(
        Problem.bare(
                ProblemType.CONFLICT,
                "atomic objects require a replicated cache in MWMR; got another kind")
            .with("cache", name));
  }

  /** The validated name of an object. */
  String checkName(String name) {
    int maxBytes = context.limits().keyBytes();
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > maxBytes) {
      throw Problem.invalid("name", "1 to %d bytes of UTF-8".formatted(maxBytes), bytes + " bytes");
    }
    return name;
  }

  /**
   * Applies {@code use} to a cache's objects, and maps failures to problems.
   *
   * @param retrySafe whether the same request may be sent again without being applied twice
   */
  <R> CompletionStage<R> call(
      String cache, boolean retrySafe, Function<OfCache, CompletionStage<R>> use) {
    return context
        .callCache(
            cache,
            open ->
                acquire(cache, open).thenCompose(cacheObjects -> callAndRelease(cacheObjects, use)))
        .handle(
            (result, failure) ->
                failure == null ? result : throwProblem(cache, failure, retrySafe));
  }

  private static <R> CompletionStage<R> callAndRelease(
      OfCache cacheObjects, Function<OfCache, CompletionStage<R>> use) {
    CompletionStage<R> stage;
    try {
      stage = use.apply(cacheObjects);
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage
        .whenComplete((result, failure) -> cacheObjects.users().decrementAndGet())
        .handle(
            (result, failure) -> {
              if (failure != null) {
                throw toDeletionFailure(ProblemMapper.unwrap(failure));
              }
              return result;
            });
  }

  /**
   * Unwraps the failure of a store whose cache was deleted, so that the request fails as one on a
   * deleted cache.
   */
  private static CompletionException toDeletionFailure(Throwable failure) {
    Throwable cause = failure;
    while (isOfStore(failure) && cause != null && !(cause instanceof CacheDeletedException)) {
      cause = cause.getCause();
    }
    return new CompletionException(cause instanceof CacheDeletedException ? cause : failure);
  }

  private OfCache openObjects(String name, EnsembleCache<Object, Object> cache) {
    if (context.manager().stored(name).isEmpty()) {
      throw toModeProblem(name);
    }
    List<OfCache> evicted = new ArrayList<>();
    OfCache acquired;
    synchronized (this) {
      if (closed) {
        throw Problem.of(ProblemType.NOT_READY, "the service is stopping; nothing was done");
      }
      OfCache open = objectsByCache.get(name);
      if (open != null && open.cache() == cache) {
        acquired = open;
      } else {
        if (open != null) {
          evicted.add(open); // The objects of a deleted cache with the same name.
        } else {
          makeRoom(evicted);
        }
        acquired = createObjects(cache);
        objectsByCache.put(name, acquired);
      }
      acquired.users().incrementAndGet();
    }
    evicted.forEach(cacheObjects -> closer.close(cacheObjects::close));
    return acquired;
  }

  /** Copies of the pages of all trees. */
  TreePageCache treePages() {
    return treePages;
  }

  /** Called under this object's lock. */
  private void makeRoom(List<OfCache> evicted) {
    Iterator<OfCache> iterator = objectsByCache.values().iterator();
    boolean canEvict = closer.pending() < MOST_CACHES;
    while (canEvict && objectsByCache.size() >= MOST_CACHES && iterator.hasNext()) {
      OfCache cacheObjects = iterator.next();
      if (cacheObjects.users().get() == 0) {
        evicted.add(cacheObjects);
        iterator.remove();
      }
    }
    if (objectsByCache.size() >= MOST_CACHES) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "objects of at most %d caches can be used at the same time; nothing was done"
                      .formatted(MOST_CACHES))
              .header("Retry-After", "1"));
    }
  }

  @SuppressWarnings("unchecked") // Objects are stored as bytes; other entries are not read.
  private OfCache createObjects(EnsembleCache<Object, Object> cache) {
    BasicCache<String, byte[]> bytes = (BasicCache<String, byte[]>) (BasicCache<?, ?>) cache;
    AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(bytes));
    return new OfCache(
        cache,
        factory,
        Synchronizers.on(factory),
        new HandleCache<>("counters", cache.getName(), MOST_HANDLES, context.workers()),
        new HandleCache<>("locks", cache.getName(), MOST_HANDLES, context.workers()),
        new HandleCache<>("versioned caches", cache.getName(), 1, context.workers()),
        new HandleCache<>("trees", cache.getName(), MOST_TREES, context.workers()),
        new AtomicInteger());
  }

  /**
   * Maps the failure of a call on an object to a problem.
   *
   * @param retrySafe whether the same request may be sent again without being applied twice
   */
  private <T> T throwProblem(String cache, Throwable failure, boolean retrySafe) {
    Throwable cause = ProblemMapper.unwrap(failure);
    if (cause instanceof AtomicObjectException.CallUnknown
        || cause instanceof AtomicObjectException.CallRefused
        || cause instanceof TreeException.NotApplied
        || cause instanceof TreeException.Unknown
        || isOfStore(cause)) {
      checkDeletion(cache);
    }
    if (cause instanceof VersioningException versioning) {
      throw new ProblemException(problem(versioning));
    }
    if (cause instanceof TreeException tree) {
      throw new ProblemException(problem(tree, retrySafe));
    }
    if (cause instanceof AtomicObjectException object) {
      throw new ProblemException(problem(object, retrySafe));
    }
    throw cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
  }

  /**
   * Notices, by a read, that the cache was deleted, which failures of objects do not report. While
   * sites are down, each request fails: one read at a time suffices for all of them.
   */
  private void checkDeletion(String cache) {
    if (checkedCaches.add(cache)) {
      context
          .callCache(cache, open -> open.async().get(""))
          .whenComplete((value, failure) -> checkedCaches.remove(cache));
    }
  }

  /** Whether the failure concerns the store; refusals of an object itself do not. */
  private static boolean isOfStore(Throwable failure) {
    return failure instanceof AtomicObjectException.StoreUnavailable
        || failure instanceof VersioningException.StoreUnavailable;
  }

  private static Problem problem(VersioningException failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof VersioningException.StoreUnavailable) {
      return Problem.bare(ProblemType.SITES_UNAVAILABLE, message).header("Retry-After", "1");
    }
    if (failure instanceof VersioningException.UnknownVersion) {
      return Problem.bare(ProblemType.NOT_FOUND, message);
    }
    return Problem.bare(
        failure instanceof VersioningException.VersionCompacted
            ? ProblemType.GONE
            : ProblemType.CONFLICT,
        message);
  }

  private static Problem problem(TreeException failure, boolean retrySafe) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof TreeException.Unknown) {
      return Problem.bare(ProblemType.UNKNOWN_OUTCOME, message).with("retrySafe", retrySafe);
    }
    if (failure instanceof TreeException.NotApplied) {
      return Problem.bare(ProblemType.SITES_UNAVAILABLE, message).header("Retry-After", "1");
    }
    return Problem.bare(
        failure instanceof TreeException.NoSuchTree || failure instanceof TreeException.NoSuchNode
            ? ProblemType.NOT_FOUND
            : ProblemType.CONFLICT,
        message);
  }

  private static Problem problem(AtomicObjectException failure, boolean retrySafe) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof AtomicObjectException.CallUnknown) {
      return Problem.bare(ProblemType.UNKNOWN_OUTCOME, message).with("retrySafe", retrySafe);
    }
    if (failure instanceof AtomicObjectException.NoSuchObject) {
      return Problem.bare(ProblemType.NOT_FOUND, message);
    }
    if (failure instanceof AtomicObjectException.CallRefused
        || failure instanceof AtomicObjectException.StoreUnavailable) {
      return Problem.bare(ProblemType.SITES_UNAVAILABLE, message).header("Retry-After", "1");
    }
    return Problem.bare(ProblemType.CONFLICT, message);
  }

  /**
   * Closes all factories concurrently, and waits two seconds: a call to an unresponsive site ends
   * much later.
   */
  @Override
  public void close() {
    List<OfCache> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(objectsByCache.values());
      objectsByCache.clear();
    }
    CompletableFuture<?>[] closings =
        open.stream()
            .map(
                cacheObjects ->
                    CompletableFuture.runAsync(
                        cacheObjects::close, ObjectFactoryCache::startThread))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(closings)
        .completeOnTimeout(null, FAREWELL_MILLIS, TimeUnit.MILLISECONDS)
        .join();
  }

  private static void startThread(Runnable task) {
    Thread thread = new Thread(task, "ensemble-rest-farewell");
    thread.setDaemon(true);
    thread.start();
  }
}
