package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.cache.CompletionCause;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.interceptor.SimpleKey;

@Timeout(120)
class SpringCacheAdapterTest {

  private final MapSiteFederation federation = new MapSiteFederation();
  private final EnsembleCacheManager manager = federation.manager();
  private final AtomicInteger loads = new AtomicInteger();
  private final AtomicInteger deletions = new AtomicInteger();

  private final AtomicLong nanos = new AtomicLong();

  /** By how much the clock of waiting callers advances each time it is read. */
  private final AtomicLong stepNanos = new AtomicLong();

  private final Cache cache = adapter(manager, Duration.ZERO, federation.executor);

  @AfterEach
  void close() {
    federation.close();
  }

  private Cache adapter(EnsembleCacheManager of, Duration lifespan, Executor executor) {
    EnsembleCache<Object, Object> opened =
        of.getOrCreateCache(CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build());
    return new SpringCacheAdapter(
        opened,
        new SpringCacheAdapter.Settings(
            lifespan,
            Duration.ofMinutes(1),
            executor,
            () -> nanos.getAndAdd(stepNanos.get()),
            deletions::incrementAndGet));
  }

  @Test
  void aValueIsPutReadAndEvicted() {
    assertThat(cache.get("k")).isNull();
    cache.put("k", 7);

    assertThat(cache.get("k").get()).isEqualTo(7);
    assertThat(cache.get("k", Integer.class)).isEqualTo(7);
    assertThatIllegalStateException().isThrownBy(() -> cache.get("k", String.class));
    assertThat(cache.evictIfPresent("k")).isTrue();
    assertThat(cache.evictIfPresent("k")).isFalse();
    cache.put("k", 8);
    cache.evict("k");
    assertThat(cache.get("k")).isNull();
    assertThat(cache.getName()).isEqualTo("c");
    assertThat(cache.getNativeCache()).isInstanceOf(EnsembleCache.class);
  }

  @Test
  void nullIsAValue() {
    cache.put("k", null);

    assertThat(cache.get("k")).isNotNull();
    assertThat(cache.get("k").get()).isNull();
    assertThat(cache.get("k", String.class)).isNull();
    assertThat(cache.putIfAbsent("k", "v")).isNotNull();
    assertThat(cache.<Object>get("k", this::load)).isNull();
    assertThat(loads).hasValue(0);
    assertThat(cache.<Object>get("n", () -> null)).isNull();
    assertThat(cache.get("n").get()).isNull();
  }

  @Test
  void onlyTheFirstValueIsPutIfAbsent() {
    assertThat(cache.putIfAbsent("k", 1)).isNull();
    assertThat(cache.putIfAbsent("k", 2).get()).isEqualTo(1);
    assertThat(cache.get("k").get()).isEqualTo(1);
  }

  @Test
  void allEntriesAreRemoved() {
    cache.put("a", 1);
    cache.put("b", null);

    assertThat(cache.invalidate()).isTrue();
    assertThat(cache.get("a")).isNull();
    assertThat(cache.get("b")).isNull();
    assertThat(cache.invalidate()).isFalse();
    cache.put("a", 1);
    cache.clear();
    assertThat(cache.get("a")).isNull();
  }

  @Test
  void entriesExpireAfterTheirLifespan() {
    Cache shortLived = adapter(manager, Duration.ofSeconds(10), federation.executor);
    shortLived.put("put", 1);
    shortLived.putIfAbsent("absent", 1);
    shortLived.get("loaded", this::load);
    shortLived.retrieve("later", () -> CompletableFuture.completedFuture(1)).join();
    assertThat(List.of("put", "absent", "loaded", "later"))
        .allSatisfy(key -> assertThat(cache.get(key)).isNotNull());

    federation.epochMicros.addAndGet(11_000_000);

    assertThat(List.of("put", "absent", "loaded", "later"))
        .allSatisfy(key -> assertThat(cache.get(key)).isNull());
  }

  @Test
  void aKeyOfNoParametersIsThatOfTheGenerator() {
    cache.put(SimpleKey.EMPTY, 1);

    assertThat(cache.get(EnsembleKeyGenerator.keyOf()).get()).isEqualTo(1);
  }

  @Test
  void aKeyWhoseParametersAreHiddenIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put(new SimpleKey("a", "b"), 1))
        .withMessageContaining("ensembleKeyGenerator");
    assertThatIllegalArgumentException().isThrownBy(() -> cache.get(new SimpleKey("a", "b")));
  }

  private Integer load() {
    return loads.incrementAndGet();
  }

  @Test
  void concurrentCallersOfOneProcessLoadOnce() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    List<Object> results = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () ->
                  results.add(
                      cache.get(
                          "k",
                          () -> {
                            loading.countDown();
                            mayEnd.await();
                            return load();
                          })));
      threads.add(thread);
      thread.start();
    }
    loading.await();
    await()
        .until(
            () ->
                threads.stream()
                        .filter(thread -> thread.getState() == Thread.State.TIMED_WAITING)
                        .count()
                    == 3);

    mayEnd.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(results).containsExactly(1, 1, 1, 1);
    assertThat(loads).hasValue(1);
  }

  @Test
  void processesThatLoadConcurrentlyGetOneValue() {
    Cache other = adapter(federation.manager(), Duration.ZERO, federation.executor);

    Object mine =
        cache.get(
            "k",
            () -> {
              assertThat(other.<String>get("k", () -> "theirs")).isEqualTo("theirs");
              return "mine";
            });

    assertThat(mine).isEqualTo("theirs");
    assertThat(cache.get("k").get()).isEqualTo("theirs");
  }

  @Test
  void aCallerThatWaitedForTheDeadlineLoadsItself() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicReference<Object> first = new AtomicReference<>();
    Thread thread =
        new Thread(
            () ->
                first.set(
                    cache.get(
                        "k",
                        () -> {
                          loading.countDown();
                          mayEnd.await();
                          return "slow";
                        })));
    thread.start();
    loading.await();
    stepNanos.set(Duration.ofSeconds(6).toNanos());

    assertThat(cache.<String>get("k", () -> "own")).isEqualTo("own");

    assertThat(cache.get("k").get()).isEqualTo("own");
    mayEnd.countDown();
    thread.join();
    assertThat(first).hasValue("own");
  }

  @Test
  void theFailureOfALoaderIsReportedAndTheNextCallLoads() {
    assertThatExceptionOfType(ValueRetrievalException.class)
        .isThrownBy(
            () ->
                cache.get(
                    "k",
                    () -> {
                      throw new IOException("no");
                    }))
        .withCauseInstanceOf(IOException.class);
    assertThat(cache.<Integer>get("k", this::load)).isEqualTo(1);
  }

  @Test
  void aFutureHasAWrapperAndCompletesOnTheExecutor() {
    AtomicReference<String> thread = new AtomicReference<>();
    cache.put("k", null);

    assertThat(cache.retrieve("absent").join()).isNull();
    assertThat(cache.retrieve("k").join())
        .isInstanceOfSatisfying(
            Cache.ValueWrapper.class, wrapper -> assertThat(wrapper.get()).isNull());
    cache.retrieve("k").thenAccept(found -> thread.set(Thread.currentThread().getName())).join();
    // The dependent stage runs here if the future was done before it was attached.
    assertThat(thread.get()).isIn("application", Thread.currentThread().getName());
  }

  @Test
  void aLoaderOfAFutureRunsOnTheExecutorAndMayBlock() {
    AtomicReference<String> thread = new AtomicReference<>();

    CompletableFuture<Object> loaded =
        cache.retrieve(
            "k",
            () -> {
              thread.set(Thread.currentThread().getName());
              cache.put("other", 1);
              return CompletableFuture.completedFuture("v");
            });

    assertThat(loaded.join()).isEqualTo("v");
    assertThat(thread).hasValue("application");
    assertThat(cache.get("k").get()).isEqualTo("v");
    assertThat(
            cache.retrieve("k", () -> CompletableFuture.failedFuture(new AssertionError())).join())
        .isEqualTo("v");
  }

  @Test
  void futuresOfOneProcessLoadOnce() {
    CompletableFuture<Integer> loading = new CompletableFuture<>();
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(
          cache.retrieve(
              "k",
              () -> {
                loads.incrementAndGet();
                return loading;
              }));
    }
    await().until(() -> loads.get() == 1);

    loading.complete(7);

    assertThat(all).allSatisfy(one -> assertThat(one.join()).isEqualTo(7));
    assertThat(loads).hasValue(1);
  }

  @Test
  void aFutureThatWaitedForTheDeadlineLoadsItself() {
    CompletableFuture<String> never = new CompletableFuture<>();
    AtomicInteger begun = new AtomicInteger();
    CompletableFuture<String> first =
        cache.retrieve(
            "k",
            () -> {
              begun.incrementAndGet();
              return never;
            });
    await().until(() -> begun.get() == 1);
    stepNanos.set(Duration.ofSeconds(6).toNanos());

    assertThat(cache.retrieve("k", () -> CompletableFuture.completedFuture("own")).join())
        .isEqualTo("own");
    never.complete("slow");
    assertThat(first.join()).isEqualTo("own");
  }

  @Test
  void theFailureOfALoaderOfAFutureIsThatOfTheFuture() {
    assertThatThrownBy(
            () ->
                cache
                    .retrieve(
                        "k", () -> CompletableFuture.failedFuture(new IllegalStateException("no")))
                    .join())
        .hasRootCauseMessage("no");
    assertThatThrownBy(
            () ->
                cache
                    .retrieve(
                        "k",
                        () -> {
                          throw new IllegalStateException("thrown");
                        })
                    .join())
        .hasRootCauseMessage("thrown");
    assertThat(cache.retrieve("k", () -> CompletableFuture.completedFuture(null)).join()).isNull();
    assertThat(cache.get("k").get()).isNull();
  }

  @Test
  void futuresRequireAnExecutor() {
    Cache without = adapter(manager, Duration.ZERO, null);

    assertThatThrownBy(() -> without.retrieve("k"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("applicationTaskExecutor");
    assertThatThrownBy(() -> without.retrieve("k", () -> CompletableFuture.completedFuture("v")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aDeletedCacheIsReported() {
    federation.manager().deleteCache("c");

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> cache.put("k", "v"))
                    .isInstanceOf(CacheDeletedException.class));
    assertThat(deletions.get()).isPositive();
    int before = deletions.get();
    assertThatThrownBy(() -> cache.retrieve("k").join())
        .satisfies(
            failure ->
                assertThat(CompletionCause.of(failure)).isInstanceOf(CacheDeletedException.class));
    assertThat(deletions.get()).isGreaterThan(before);
  }
}
