package io.ensemble.cache.adapter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheOperationRecorder;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.EntryUpdate;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.Reconciliation;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.codec.Codec;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.MapSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a recorder receives of the calls on caches. */
@Timeout(60)
class OperationRecorderTest {

  private static final Codec CODEC = new Codec(List.of());

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final List<MapSite> sites =
      List.of(
          new MapSite("a", scheduler), new MapSite("b", scheduler), new MapSite("c", scheduler));

  /** Keeps what it receives. */
  private static class Recorded implements CacheOperationRecorder {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<Bytes> keys = new CopyOnWriteArrayList<>();
    final Set<String> requests = new ConcurrentSkipListSet<>();
    final AtomicInteger requestCount = new AtomicInteger();
    final AtomicInteger timed = new AtomicInteger();

    @Override
    public void read(Bytes key, int valueBytes) {
      keys.add(key);
      calls.add("read " + valueBytes);
    }

    @Override
    public void write(Bytes key, int valueBytes) {
      keys.add(key);
      calls.add("write " + valueBytes);
    }

    @Override
    public void request(String site, boolean writes, long nanos) {
      requests.add(site + (writes ? " writes" : " reads"));
      requestCount.incrementAndGet();
      if (nanos >= 0) {
        timed.incrementAndGet();
      }
    }

    List<String> taken() {
      List<String> taken = List.copyOf(calls);
      calls.clear();
      return taken;
    }
  }

  private final Recorded recorded = new Recorded();

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  private EnsembleCacheManagerBuilder builder() {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().scheduler(scheduler);
    sites.forEach(builder::site);
    return builder;
  }

  private EnsembleCacheManager built(EnsembleCacheManagerBuilder builder) {
    EnsembleCacheManager manager = builder.build();
    managers.add(manager);
    return manager;
  }

  private static CacheDefinition.Builder definition(Mode mode) {
    return CacheDefinition.of("c", mode).sites("a", "b", "c").deadline(Duration.ofSeconds(20));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void eachCallIsRecordedOnceWithItsKindAndSize(Mode mode) {
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> recorded));
    EnsembleCache<String, String> cache = manager.createCache(definition(mode).build());

    cache.put("k", "12345");
    assertThat(cache.get("k")).isEqualTo("12345");
    assertThat(cache.get("absent")).isNull();
    assertThat(cache.containsKey("k")).isTrue();
    assertThat(recorded.taken()).containsExactly("write 6", "read 6", "read -1", "read 6");

    assertThat(cache.putIfAbsent("k", "other")).isEqualTo("12345");
    cache.withReturnValues().put("k", "1");
    assertThat(cache.replace("k", "2", "3")).isFalse();
    String value = cache.compute("k", (key, old) -> old + "23");
    assertThat(value).isEqualTo("123");
    assertThat(cache.<Integer>update("k", old -> EntryUpdate.keep(7))).isEqualTo(7);
    assertThat(recorded.taken())
        .as("an update that writes nothing is a read")
        .containsExactly("read 6", "write 2", "read 2", "write 4", "read 4");

    cache.remove("k");
    cache.putAll(Map.of("x", "1", "y", "1"));
    assertThat(cache.getAll(Set.of("x", "y"))).hasSize(2);
    assertThat(recorded.taken())
        .containsExactly("write -1", "write 2", "write 2", "read 2", "read 2");
    assertThat(
            new TreeSet<>(recorded.keys.stream().map(CODEC::decode).map(Object::toString).toList()))
        .containsExactly("absent", "k", "x", "y");

    assertThat(cache.size()).isEqualTo(2);
    cache.clear();
    assertThat(recorded.taken()).as("scans").isEmpty();
    assertThat(recorded.requests)
        .contains("a writes")
        .allMatch(one -> one.matches("[abc] (reads|writes)"));
  }

  @Test
  void theReadsOfAnIterationInTheOrderOfHashesAreRecorded() throws Exception {
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> recorded));
    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.MWMR).build());
    cache.put("k", "12345");
    recorded.taken();
    CacheReader<String, String> reader = CacheReader.of(cache);

    assertThat(reader.resultOf(() -> reader.get(CODEC.encode("k")))).contains("12345");

    assertThat(recorded.taken()).containsExactly("read 6");
  }

  @Test
  void siblingsAreRecorded() {
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> recorded));
    EnsembleCache<String, String> plain =
        manager.createCache(definition(Mode.WEAK).siblings(4).build());
    var cache = plain.reconciled(Reconciliation.lastWriter());

    cache.put("k", "1", cache.siblings("k").context());
    assertThat(cache.siblings("k").values()).containsExactly("1");
    assertThat(cache.resolve("k")).isEqualTo("1");

    assertThat(recorded.taken()).containsExactly("read -1", "write 2", "read 2", "read 2");
  }

  @Test
  void aFailedCallIsRecorded() {
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> recorded));
    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.MWMR).build());

    assertThatThrownBy(
            () ->
                cache.compute(
                    "k",
                    (key, old) -> {
                      throw new IllegalStateException("planned");
                    }))
        .hasMessage("planned");

    assertThat(recorded.taken()).containsExactly("read -1");
  }

  @Test
  void aDistributedCacheIsRecordedByItsOwnName() {
    List<String> opened = new CopyOnWriteArrayList<>();
    Recorded parts = new Recorded();
    EnsembleCacheManager manager =
        built(
            builder()
                .recorder(
                    (cache, isPrivate) -> {
                      opened.add(cache);
                      return cache.equals("whole") ? recorded : parts;
                    }));
    EnsembleCache<String, String> part = manager.createCache(definition(Mode.MWMR).build());
    EnsembleCache<String, String> whole =
        manager.createDistributed(DistributedDefinition.of("whole", "c"));

    whole.put("k", "1");

    assertThat(part.getName()).isEqualTo("c");
    assertThat(opened).contains("c", "whole");
    assertThat(recorded.taken()).containsExactly("write 2");
    assertThat(parts.calls).isEmpty();
    assertThat(parts.requests).as("the parts send the requests").isNotEmpty();
    assertThat(recorded.requests)
        .as("those of its calls")
        .hasSizeGreaterThanOrEqualTo(2)
        .anyMatch(one -> one.endsWith(" writes"));
    await()
        .untilAsserted(
            () ->
                assertThat(recorded.requestCount.get())
                    .as("not more than the parts sent")
                    .isLessThanOrEqualTo(parts.requestCount.get()));
    assertThat(parts.timed.get()).isPositive();
    assertThat(recorded.timed.get()).as("times are those of the parts").isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"VALUES", "VALUES_AND_KEYS"})
  void theKeysOfAPrivateCacheAreHmacs(Privacy privacy) {
    TestKeyset keyset = new TestKeyset(privacy == Privacy.VALUES_AND_KEYS);
    List<Boolean> privates = new CopyOnWriteArrayList<>();
    EnsembleCacheManager manager =
        built(
            builder()
                .keyset("c", keyset.reference())
                .recorder(
                    (cache, isPrivate) -> {
                      privates.add(isPrivate);
                      return recorded;
                    }));
    EnsembleCache<String, String> cache =
        manager.createCache(definition(Mode.MWMR).privacy(privacy).build());

    cache.put("customer-4711", "12345");
    assertThat(cache.get("customer-4711")).isEqualTo("12345");
    cache.put("customer-4712", "1");
    String value = cache.compute("customer-4711", (key, old) -> old);

    assertThat(value).isEqualTo("12345");
    assertThat(privates).containsExactly(true);
    assertThat(recorded.taken())
        .as("sizes without encryption")
        .containsExactly("write 6", "read 6", "write 2", "write 6");
    Bytes first = recorded.keys.get(0);
    assertThat(recorded.keys).containsExactly(first, first, recorded.keys.get(2), first);
    assertThat(recorded.keys.get(2)).isNotEqualTo(first);
    assertThat(recorded.keys)
        .allSatisfy(
            key -> {
              assertThat(key.size()).isEqualTo(16);
              assertThat(new String(key.array(), UTF_8)).doesNotContain("customer", "4711");
            });
    keyset.rotate();
    manager.stopCache("c");
    EnsembleCache<String, String> again = manager.getCache("c");
    assertThat(again.get("customer-4711")).isEqualTo("12345");
    assertThat(recorded.keys.get(4)).as("a rotated keyset gives the same").isEqualTo(first);
  }

  @Test
  void theKeysOfAPrivateCacheWithSiblingsAreHmacsInEveryView() {
    TestKeyset keyset = new TestKeyset(true);
    EnsembleCacheManager manager =
        built(builder().keyset("c", keyset.reference()).recorder((cache, isPrivate) -> recorded));
    EnsembleCache<String, String> plain =
        manager.createCache(
            definition(Mode.WEAK).siblings(4).privacy(Privacy.VALUES_AND_KEYS).build());
    var cache = plain.reconciled(Reconciliation.lastWriter());

    plain.put("customer-4711", "1");
    cache.put("customer-4711", "2");
    assertThat(cache.get("customer-4711")).isEqualTo("2");
    cache.siblings("customer-4711");
    cache.resolve("customer-4711");

    assertThat(recorded.keys).hasSize(5);
    assertThat(Set.copyOf(recorded.keys)).as("one HMAC in all views").hasSize(1);
    assertThat(recorded.keys.get(0).size()).isEqualTo(16);
  }

  @Test
  void aRecorderThatFailsWhenACacheIsOpenedStopsNobody() {
    EnsembleCacheManager manager =
        built(
            builder()
                .recorder(
                    (cache, isPrivate) -> {
                      throw new IllegalStateException("broken");
                    }));

    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.MWMR).build());
    cache.put("k", "1");

    assertThat(cache.get("k")).isEqualTo("1");
  }

  @Test
  void anHmacDependsOnTheKeysetAndTheCache() {
    TestKeyset keyset = new TestKeyset();
    byte[] one = keyset.keyset().derive(new byte[] {1});

    assertThat(one).hasSize(32).isEqualTo(keyset.keyset().derive(new byte[] {1}));
    assertThat(one)
        .isNotEqualTo(keyset.keyset().derive(new byte[] {2}))
        .isNotEqualTo(new TestKeyset().keyset().derive(new byte[] {1}));
  }

  @Test
  void aRecorderThatFailsFailsNoCallAndIsNotCalledAgain() {
    List<Bytes> received = new CopyOnWriteArrayList<>();
    Recorded failing =
        new Recorded() {
          @Override
          public void write(Bytes key, int valueBytes) {
            received.add(key);
            throw new IllegalStateException("planned");
          }
        };
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> failing));
    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.MWMR).build());

    cache.put("k", "1", 1, TimeUnit.HOURS);
    cache.put("k", "2");

    assertThat(cache.get("k")).isEqualTo("2");
    assertThat(received).hasSize(1);
    assertThat(failing.calls).isEmpty();
  }

  @Test
  void withoutARecorderNothingIsObserved() {
    assertThat(CacheMetrics.NONE.observed()).isFalse();
    assertThat(CacheMetrics.of(null, "c", Mode.WEAK, null)).isSameAs(CacheMetrics.NONE);
    EnsembleCacheManager manager = built(builder().recorder((cache, isPrivate) -> null));
    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.WEAK).build());
    cache.put("k", "1");
    assertThat(cache.get("k")).isEqualTo("1");
  }
}
