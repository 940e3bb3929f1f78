package io.ensemble.spring;

import io.ensemble.EnsembleCache;
import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import io.ensemble.spring.LoadsInProgress.Load;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * A cache of Ensemble in Spring's cache abstraction. Thread-safe.
 *
 * <p>Guarantees and errors are those of {@link EnsembleCache}: a method either ends as described,
 * or throws. Null is stored as a value of its own.
 *
 * <p><b>Loaders.</b> {@link #get(Object, Callable)} and {@link #retrieve(Object, Supplier)} read
 * the key, call the loader if it is absent, and put the loaded value if the key is still absent.
 * The result is the value that the cache has then. So in mode MWMR, concurrent callers in all
 * processes get one value, although each process may call its loader. In mode WEAK, processes at
 * different sites may get different values. In this process one loader runs at a time for a key.
 * Other callers wait for it, for the deadline of the cache at most, and then read again; a caller
 * that has waited for so long calls its own loader.
 */
final class SpringCacheAdapter extends AbstractValueAdaptingCache {

  /** Stands for null. Its type differs from every type that a REST client can put by chance. */
  private static final TypedContent NULL_VALUE =
      new TypedContent("application/vnd.ensemble.spring-null", Bytes.of());

  private final EnsembleCache<Object, Object> cache;
  private final Settings settings;
  private final LoadsInProgress loads = new LoadsInProgress();

  /**
   * How the adapter uses the cache.
   *
   * @param lifespan of entries that are put; zero for no end
   * @param clearDeadline the longest time of {@link Cache#clear}
   * @param executor completes futures; null if there is none, and {@code retrieve} is refused
   * @param nanoTime a clock in nanoseconds
   * @param whenClosed called when a call has failed because the cache was deleted or stopped
   */
  record Settings(
      Duration lifespan,
      Duration clearDeadline,
      @Nullable Executor executor,
      LongSupplier nanoTime,
      Runnable whenClosed) {}

  SpringCacheAdapter(EnsembleCache<Object, Object> cache, Settings settings) {
    super(true);
    this.cache = cache;
    this.settings = settings;
  }

  @Override
  public String getName() {
    return cache.getName();
  }

  @Override
  public EnsembleCache<Object, Object> getNativeCache() {
    return cache;
  }

  @Override
  protected @Nullable Object lookup(Object key) {
    Object checked = checkedKey(key);
    return call(() -> cache.get(checked));
  }

  @Override
  public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
    Object checked = checkedKey(key);
    Object found = call(() -> cache.get(checked));
    return cast(found != null ? found : load(checked, key, valueLoader));
  }

  private Object load(Object checked, Object key, Callable<?> valueLoader) {
    long begin = settings.nanoTime().getAsLong();
    Load mine = loads.of(checked);
    while (true) {
      Load current = loads.begin(mine);
      boolean isMine = current == mine;
      try {
        if (!isMine && await(current, remaining(begin), key, valueLoader)) {
          Object found = call(() -> cache.get(checked));
          if (found != null) {
            return found;
          }
          continue;
        }
        // A load that ended since the first read may have put a value.
        Object found = call(() -> cache.get(checked));
        return found != null ? found : putLoaded(checked, callLoader(key, valueLoader));
      } finally {
        if (isMine) {
          loads.end(mine);
        }
      }
    }
  }

  private Object callLoader(Object key, Callable<?> valueLoader) {
    try {
      return toStoreValue(valueLoader.call());
    } catch (Exception failure) {
      throw new ValueRetrievalException(key, valueLoader, failure);
    }
  }

  private Object putLoaded(Object key, Object value) {
    Object present =
        call(() -> cache.putIfAbsent(key, value, lifespanMillis(), TimeUnit.MILLISECONDS));
    return present != null ? present : value;
  }

  /** Whether the load ended within {@code nanos}. */
  private static boolean await(Load load, long nanos, Object key, Callable<?> valueLoader) {
    if (nanos <= 0) {
      return false;
    }
    try {
      load.end().get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ValueRetrievalException(key, valueLoader, interrupted);
    } catch (ExecutionException failed) {
      throw new AssertionError("the end of a load never fails", failed);
    }
  }

  private long remaining(long beginNanos) {
    return cache.deadline().toNanos() - (settings.nanoTime().getAsLong() - beginNanos);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The future has a {@link ValueWrapper}, or null if the key is absent. It completes on the
   * executor of the application.
   */
  @Override
  public CompletableFuture<@Nullable ValueWrapper> retrieve(Object key) {
    Executor executor = executor();
    Object checked = checkedKey(key);
    return read(checked).thenApplyAsync(this::toValueWrapper, executor);
  }

  @Override
  public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
    Executor executor = executor();
    Object checked = checkedKey(key);
    long begin = settings.nanoTime().getAsLong();
    return read(checked)
        .thenComposeAsync(
            found ->
                found != null
                    ? CompletableFuture.completedFuture(found)
                    : loadAsync(checked, valueLoader, begin, executor),
            executor)
        .thenApply(this::<T>cast);
  }

  private CompletionStage<Object> loadAsync(
      Object key,
      Supplier<? extends CompletableFuture<?>> valueLoader,
      long begin,
      Executor executor) {
    Load mine = loads.of(key);
    Load current = loads.begin(mine);
    long remaining = remaining(begin);
    if (current == mine || remaining <= 0) {
      return loadNow(key, valueLoader, executor).whenComplete((value, failure) -> loads.end(mine));
    }
    return current
        .end()
        .completeOnTimeout(null, remaining, TimeUnit.NANOSECONDS)
        .thenComposeAsync(ended -> read(key), executor)
        .thenComposeAsync(
            found ->
                found != null
                    ? CompletableFuture.completedFuture(found)
                    : loadAsync(key, valueLoader, begin, executor),
            executor);
  }

  private CompletionStage<Object> loadNow(
      Object key, Supplier<? extends CompletableFuture<?>> valueLoader, Executor executor) {
    return read(key)
        .thenComposeAsync(
            found ->
                found != null
                    ? CompletableFuture.completedFuture(found)
                    : valueLoader
                        .get()
                        .thenComposeAsync(
                            loaded -> putLoadedAsync(key, toStoreValue(loaded)), executor),
            executor);
  }

  private CompletionStage<Object> putLoadedAsync(Object key, Object value) {
    return this.<@Nullable Object>callAsync(
            () -> cache.putIfAbsentAsync(key, value, lifespanMillis(), TimeUnit.MILLISECONDS))
        .thenApplyAsync(present -> present != null ? present : value, executor());
  }

  private CompletableFuture<@Nullable Object> read(Object key) {
    return callAsync(() -> cache.getAsync(key));
  }

  private Executor executor() {
    Executor executor = settings.executor();
    if (executor == null) {
      throw new UnsupportedOperationException(
          "futures require an executor: define a bean 'applicationTaskExecutor'; cache="
              + getName());
    }
    return executor;
  }

  @Override
  public void put(Object key, @Nullable Object value) {
    Object checked = checkedKey(key);
    Object stored = toStoreValue(value);
    call(() -> cache.put(checked, stored, lifespanMillis(), TimeUnit.MILLISECONDS));
  }

  @Override
  public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
    Object checked = checkedKey(key);
    Object stored = toStoreValue(value);
    return toValueWrapper(
        call(() -> cache.putIfAbsent(checked, stored, lifespanMillis(), TimeUnit.MILLISECONDS)));
  }

  @Override
  public void evict(Object key) {
    Object checked = checkedKey(key);
    call(() -> cache.remove(checked));
  }

  @Override
  public boolean evictIfPresent(Object key) {
    Object checked = checkedKey(key);
    return call(() -> cache.withReturnValues().remove(checked)) != null;
  }

  /** {@inheritDoc} Not atomic: entries that are put meanwhile may stay. */
  @Override
  public void clear() {
    this.<@Nullable Object>call(
        () -> {
          cache.withDeadline(settings.clearDeadline()).clear();
          return null;
        });
  }

  @Override
  public boolean invalidate() {
    boolean wasEmpty = call(() -> cache.withDeadline(settings.clearDeadline()).isEmpty());
    clear();
    return !wasEmpty;
  }

  @Override
  protected Object toStoreValue(@Nullable Object userValue) {
    return userValue == null ? NULL_VALUE : userValue;
  }

  @Override
  protected @Nullable Object fromStoreValue(@Nullable Object storeValue) {
    return NULL_VALUE.equals(storeValue) ? null : storeValue;
  }

  @SuppressWarnings(
      "unchecked") // The type of loaders is that of values, as Spring's caches assume.
  private <T> @Nullable T cast(Object stored) {
    return (T) fromStoreValue(stored);
  }

  private Object checkedKey(Object key) {
    if (key == SimpleKey.EMPTY || SimpleKey.EMPTY.equals(key)) {
      return EnsembleKeyGenerator.keyOf();
    }
    if (key instanceof SimpleKey) {
      throw new IllegalArgumentException(
          "the parameters of a SimpleKey cannot be encoded; use the KeyGenerator"
              + " 'ensembleKeyGenerator' or a key expression; cache="
              + getName()
              + " key="
              + key);
    }
    return key;
  }

  private long lifespanMillis() {
    return settings.lifespan().toMillis();
  }

  private <T extends @Nullable Object> T call(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalStateException failure) {
      checkOpen(failure);
      throw failure;
    }
  }

  private <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Supplier<CompletableFuture<T>> call) {
    return call(call)
        .whenComplete(
            (result, failure) -> {
              if (failure != null) {
                checkOpen(failure);
              }
            });
  }

  private void checkOpen(Throwable failure) {
    // Deleted or stopped; a value that cannot be decoded only costs a lookup.
    if (failure instanceof IllegalStateException) {
      settings.whenClosed().run();
    }
  }
}
