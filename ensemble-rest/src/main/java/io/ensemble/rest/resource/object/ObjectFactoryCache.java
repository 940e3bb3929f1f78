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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
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
  private static final float USUAL_LOAD = 0.75f;
  private static final long FAREWELL_MILLIS = 2_000;

  private final RestContext federation;

  /** In the order of their last use, the oldest first. */
  private final Map<String, OfCache> all = new LinkedHashMap<>(MOST_CACHES, USUAL_LOAD, true);

  private boolean closed;

  public ObjectFactoryCache(RestContext federation) {
    this.federation = federation;
    federation.onDeletion(this::forget);
  }

  /** Drops the objects of a deleted cache. */
  private void forget(String name) {
    OfCache gone;
    synchronized (this) {
      gone = all.remove(name);
    }
    if (gone != null) {
      closeSoon(gone);
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
      AtomicInteger users) {

    /** The cache's versions, ordered by hybrid times, of values that carry their type. */
    VersionedCache<String, Representation, HybridTime> openVersions() {
      return describedVersions().open();
    }

    /** The same for readers; creates nothing. */
    VersionedCache<String, Representation, HybridTime> openVersionsIfCreated() {
      return describedVersions()
          .openIfCreated()
          .orElseThrow(() -> Problem.notFound(VERSIONS, "of " + cache.getName()));
    }

    private VersionedCacheBuilder<String, Representation, HybridTime> describedVersions() {
      return VersionedCache.builder(
          factory,
          "versions",
          BinaryCodec.TEXT,
          new BinaryCodec<>(Representation::packed, Representation::unpacked),
          new HybridTimes());
    }

    void close() {
      counters.close();
      locks.close();
      versions.close();
      factory.close();
    }
  }

  /**
   * The objects of a cache, with one more user. Fails with {@link ProblemException} if the cache
   * cannot have objects.
   */
  private CompletionStage<OfCache> taken(String name, EnsembleCache<Object, Object> cache) {
    checkMode(name, cache);
    synchronized (this) {
      OfCache known = all.get(name);
      if (known != null && known.cache() == cache) {
        known.users().incrementAndGet();
        return CompletableFuture.completedFuture(known);
      }
    }
    return federation.workers().waitFor(() -> opened(name, cache));
  }

  /** Checks the mode, because the name may belong to another cache since the cache was opened. */
  private static void checkMode(String name, EnsembleCache<Object, Object> cache) {
    if (cache.definition().mode() != Mode.MWMR) {
      throw otherKind(name);
    }
  }

  private static ProblemException otherKind(String name) {
    return new ProblemException(
        Problem.bare(
                ProblemType.CONFLICT,
                "atomic objects require a replicated cache in MWMR; got another kind")
            .with("cache", name));
  }

  /** The validated name of an object. */
  String name(String name) {
    int most = federation.limits().keyBytes();
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > most) {
      throw Problem.invalid("name", "1 to %d bytes of UTF-8".formatted(most), bytes + " bytes");
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
    return federation
        .on(cache, open -> taken(cache, open).thenCompose(all -> used(all, use)))
        .handle((done, failure) -> failure == null ? done : failed(cache, failure, retrySafe));
  }

  private static <R> CompletionStage<R> used(
      OfCache all, Function<OfCache, CompletionStage<R>> use) {
    CompletionStage<R> stage;
    try {
      stage = use.apply(all);
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage
        .whenComplete((done, failure) -> all.users().decrementAndGet())
        .handle(
            (done, failure) -> {
              if (failure != null) {
                throw gone(ProblemMapper.bare(failure));
              }
              return done;
            });
  }

  /**
   * Unwraps the failure of a store whose cache was deleted, so that the request fails as one on a
   * deleted cache.
   */
  private static CompletionException gone(Throwable failure) {
    Throwable why = failure;
    while (isOfStore(failure) && why != null && !(why instanceof CacheDeletedException)) {
      why = why.getCause();
    }
    return new CompletionException(why instanceof CacheDeletedException ? why : failure);
  }

  private OfCache opened(String name, EnsembleCache<Object, Object> cache) {
    if (federation.manager().stored(name).isEmpty()) {
      throw otherKind(name);
    }
    List<OfCache> over = new ArrayList<>();
    OfCache found;
    synchronized (this) {
      if (closed) {
        throw Problem.of(ProblemType.NOT_READY, "the service is stopping; nothing was done");
      }
      OfCache known = all.get(name);
      if (known != null && known.cache() == cache) {
        found = known;
      } else {
        if (known != null) {
          over.add(known); // The objects of a deleted cache with the same name.
        } else {
          makeRoom(over);
        }
        found = made(cache);
        all.put(name, found);
      }
      found.users().incrementAndGet();
    }
    over.forEach(this::closeSoon);
    return found;
  }

  /** Closes objects on another thread, because closing waits for the calls in progress. */
  private void closeSoon(OfCache one) {
    try {
      federation.workers().run(one::close);
    } catch (RejectedExecutionException busy) {
      one.close();
    }
  }

  /** Called under this object's lock. */
  private void makeRoom(List<OfCache> over) {
    Iterator<OfCache> oldest = all.values().iterator();
    while (all.size() >= MOST_CACHES && oldest.hasNext()) {
      OfCache one = oldest.next();
      if (one.users().get() == 0) {
        over.add(one);
        oldest.remove();
      }
    }
    if (all.size() >= MOST_CACHES) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "objects of at most %d caches can be used at the same time; nothing was done"
                      .formatted(MOST_CACHES))
              .header("Retry-After", "1"));
    }
  }

  @SuppressWarnings("unchecked") // Objects are stored as bytes; other entries are not read.
  private OfCache made(EnsembleCache<Object, Object> cache) {
    BasicCache<String, byte[]> bytes = (BasicCache<String, byte[]>) (BasicCache<?, ?>) cache;
    AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(bytes));
    return new OfCache(
        cache,
        factory,
        Synchronizers.on(factory),
        new HandleCache<>("counters", MOST_HANDLES, federation.workers()),
        new HandleCache<>("locks", MOST_HANDLES, federation.workers()),
        new HandleCache<>("versioned caches", 1, federation.workers()),
        new AtomicInteger());
  }

  /**
   * Maps the failure of a call on an object to a problem.
   *
   * @param retrySafe whether the same request may be sent again without being applied twice
   */
  private <T> T failed(String cache, Throwable failure, boolean retrySafe) {
    Throwable bare = ProblemMapper.bare(failure);
    if (bare instanceof AtomicObjectException.CallUnknown
        || bare instanceof AtomicObjectException.CallRefused
        || isOfStore(bare)) {
      // The cache itself may be gone, which these failures do not report.
      federation.on(cache, open -> open.async().get(""));
    }
    if (bare instanceof VersioningException refused) {
      throw new ProblemException(problem(refused));
    }
    if (bare instanceof AtomicObjectException object) {
      throw new ProblemException(problem(object, retrySafe));
    }
    throw bare instanceof RuntimeException known ? known : new CompletionException(bare);
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
      open = new ArrayList<>(all.values());
      all.clear();
    }
    CompletableFuture<?>[] ends =
        open.stream()
            .map(one -> CompletableFuture.runAsync(one::close, ObjectFactoryCache::begun))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(ends)
        .completeOnTimeout(null, FAREWELL_MILLIS, TimeUnit.MILLISECONDS)
        .join();
  }

  private static void begun(Runnable task) {
    Thread thread = new Thread(task, "ensemble-rest-farewell");
    thread.setDaemon(true);
    thread.start();
  }
}
