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
 * Atomic objects on the MWMR caches of a federation: a factory for each cache that is asked for
 * them, up to a bound, beyond which the one is closed that was used longest ago and is not used
 * now. Thread-safe.
 */
public final class ObjectFactoryCache implements AutoCloseable {

  /** What a cache has none of before the first is added; a member of the problem that says so. */
  static final String VERSIONS = "versions";

  static final int MOST_CACHES = 64;
  private static final int MOST_HANDLES = 1_024;
  private static final float USUAL_LOAD = 0.75f;
  private static final long FAREWELL_MILLIS = 2_000;

  private final RestContext federation;

  /** Those used longest ago first. */
  private final Map<String, OfCache> all = new LinkedHashMap<>(MOST_CACHES, USUAL_LOAD, true);

  private boolean closed;

  public ObjectFactoryCache(RestContext federation) {
    this.federation = federation;
    federation.onDeletion(this::forget);
  }

  /** Lets go of those of a cache that is gone. */
  private void forget(String name) {
    OfCache gone;
    synchronized (this) {
      gone = all.remove(name);
    }
    if (gone != null) {
      closeSoon(gone);
    }
  }

  /** Those of a cache. */
  record OfCache(
      EnsembleCache<Object, Object> cache,
      AtomicObjectFactory factory,
      Synchronizers synchronizers,
      HandleCache<SharedCounter> counters,
      HandleCache<NamedLock> locks,
      HandleCache<VersionedCache<String, Representation, HybridTime>> versions,
      AtomicInteger users) {

    /** Its versions, by hybrid times, of values that carry their type. */
    VersionedCache<String, Representation, HybridTime> openVersions() {
      return describedVersions().open();
    }

    /** The same for who only looks, which creates nothing. */
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

  /** Those of a cache, with one user more. Fails with {@link ProblemException} if it has none. */
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

  /** It may have become another cache since it was opened. */
  private static void checkMode(String name, EnsembleCache<Object, Object> cache) {
    if (cache.definition().mode() != Mode.MWMR) {
      throw otherKind(name);
    }
  }

  private static ProblemException otherKind(String name) {
    return new ProblemException(
        Problem.bare(
                ProblemType.CONFLICT,
                "wanted a replicated cache in MWMR, which makes each step of an object one; came"
                    + " another kind")
            .with("cache", name));
  }

  /** A name of an object, checked. */
  String name(String name) {
    int most = federation.limits().keyBytes();
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > most) {
      throw Problem.invalid("name", "1 to %d bytes of UTF-8".formatted(most), bytes + " bytes");
    }
    return name;
  }

  /**
   * What {@code use} makes of a cache's objects, with failures as problems.
   *
   * @param retrySafe whether the same request may be sent again without being done twice
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

  /** What could not be opened because its cache is gone fails as what is asked of that cache. */
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
        throw Problem.of(ProblemType.NOT_READY, "the service ends; nothing was done");
      }
      OfCache known = all.get(name);
      if (known != null && known.cache() == cache) {
        found = known;
      } else {
        if (known != null) {
          over.add(known); // Of a cache that was deleted, and is there again.
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

  /** Closing waits for what is under way, and nobody else has to. */
  private void closeSoon(OfCache one) {
    try {
      federation.workers().run(one::close);
    } catch (RejectedExecutionException busy) {
      one.close();
    }
  }

  /** Under this object's lock. */
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
                  "wanted objects of at most %d caches in use at once; nothing was done"
                      .formatted(MOST_CACHES))
              .header("Retry-After", "1"));
    }
  }

  @SuppressWarnings("unchecked") // What objects are kept as; other entries are not looked at.
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
   * The failure of a call on an object as a problem.
   *
   * @param retrySafe whether the same request may be sent again without being done twice
   */
  private <T> T failed(String cache, Throwable failure, boolean retrySafe) {
    Throwable bare = ProblemMapper.bare(failure);
    if (bare instanceof AtomicObjectException.CallUnknown
        || bare instanceof AtomicObjectException.CallRefused
        || isOfStore(bare)) {
      // It may be for want of the cache itself, of which these do not tell.
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

  /** An object's own refusals say nothing about its cache. */
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

  /** All at once, and for two seconds: a call on a site that is mute ends much later. */
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
