package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.infinispan.commons.api.BasicCache;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A versioned cache as a cache of the latest values. */
class LatestOperationsTest {

  private final MemoryStore store = new MemoryStore(11);
  private final AtomicObjectFactory factory = AtomicObjectFactory.on(store);

  @AfterEach
  void close() {
    factory.close();
    store.close();
  }

  private VersionedCache<String, String, Long> cache(String name) {
    return VersionedCache.builder(
            factory, name, BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
        .returnValues()
        .open();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void itAnswersAsAMapDoes(int seed) {
    BasicCache<String, String> cache = cache("pages");
    Map<String, String> model = new HashMap<>();
    Random random = new Random(seed);
    for (int step = 0; step < 400; step++) {
      String key = "k" + random.nextInt(5);
      String value = "v" + random.nextInt(3);
      String other = "v" + random.nextInt(3);
      String what = "seed " + seed + " step " + step;
      int kind = random.nextInt(14);

      assertThat(done(cache, kind, key, value, other))
          .as(what)
          .isEqualTo(done(model, kind, key, value, other));
      assertThat(cache.get(key)).as(what).isEqualTo(model.get(key));
    }

    assertThat(new HashMap<>(cache)).isEqualTo(model);
    assertThat(cache.keySet()).containsExactlyInAnyOrderElementsOf(model.keySet());
    assertThat(cache.values()).containsExactlyInAnyOrderElementsOf(model.values());
    assertThat(cache).hasSameSizeAs(model);
  }

  private static Object done(
      Map<String, String> map, int kind, String key, String value, String other) {
    return switch (kind) {
      case 0, 1 -> map.put(key, value);
      case 2 -> map.remove(key);
      case 3 -> map.remove(key, value);
      case 4 -> map.putIfAbsent(key, value);
      case 5 -> map.replace(key, value);
      case 6 -> map.replace(key, value, other);
      case 7 -> map.compute(key, (k, v) -> v == null || v.equals(value) ? k : null);
      case 8 -> map.computeIfPresent(key, (k, v) -> v.equals(value) ? null : v + k);
      case 9 -> map.computeIfAbsent(key, k -> value.equals("v0") ? null : value);
      case 10 -> map.merge(key, value, (a, b) -> a.equals(b) ? null : b);
      case 11 -> map.containsKey(key) && map.containsValue(value);
      case 12 -> map.isEmpty();
      default -> map.getOrDefault(key, "none");
    };
  }

  @Test
  void whatIsPutOrRemovedIsAVersion() {
    VersionedCache<String, String, Long> cache = cache("pages");

    cache.put("home", "a");
    cache.put("home", "b");
    cache.remove("home");
    cache.remove("home");

    assertThat(cache.versions("home", null, null, 10, false)).containsExactly(1L, 2L, 3L);
    assertThat(cache.get("home", 2L)).contains("b");
    assertThat(cache.get("home", 3L)).isEmpty();
    assertThat(cache.latest("home").orElseThrow().value()).isEmpty();
  }

  @Test
  void putReturnsNullUnlessValuesAreWanted() {
    VersionedCache<String, String, Long> plain =
        VersionedCache.builder(
                factory, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
            .open();

    plain.put("home", "a");

    assertThat(plain.put("home", "b")).isNull();
    assertThat(plain.remove("home")).isEqualTo("b");
    assertThat(plain.remove("home")).isNull();
  }

  @Test
  void aLifespanIsRefused() {
    VersionedCache<String, String, Long> cache = cache("pages");

    assertThatThrownBy(() -> cache.put("home", "a", 1, TimeUnit.HOURS))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("retention");
    assertThat(cache.put("home", "a", -1, TimeUnit.HOURS)).isNull();
    assertThat(cache.get("home")).isEqualTo("a");
  }

  @Test
  void walksMeetWhatIsInTheCacheAndNothingOfOthers() {
    VersionedCache<String, String, Long> pages = cache("pages");
    VersionedCache<String, String, Long> other = cache("pages2");
    List<String> keys = IntStream.range(0, 150).mapToObj(i -> "é/" + i).toList();
    keys.forEach(k -> pages.put(k, "of " + k));
    other.put("elsewhere", "x");
    pages.remove(keys.get(0));

    List<String> met = new ArrayList<>();
    try (CloseableIterator<Map.Entry<String, String>> walk = pages.entrySet().iterator()) {
      walk.forEachRemaining(
          e -> {
            assertThat(e.getValue()).isEqualTo("of " + e.getKey());
            met.add(e.getKey());
          });
    }

    assertThat(met).containsExactlyInAnyOrderElementsOf(keys.subList(1, keys.size()));
    assertThat(pages.size()).isEqualTo(149);
    try (CloseableIterator<String> all = pages.keys()) {
      assertThat(List.copyOf(Set.copyOf(list(all)))).hasSize(150); // the removed one, too
    }
  }

  private static <E> List<E> list(CloseableIterator<E> all) {
    List<E> list = new ArrayList<>();
    all.forEachRemaining(list::add);
    return list;
  }

  @Test
  void viewsWriteThrough() {
    VersionedCache<String, String, Long> cache = cache("pages");
    cache.putAll(Map.of("a", "1", "b", "2", "c", "3"));

    cache.keySet().remove("a");
    cache.entrySet().stream().filter(e -> e.getKey().equals("b")).forEach(e -> e.setValue("4"));
    cache.values().remove("3");

    assertThat(cache.getAllAsync(Set.of("a", "b", "c")).join()).isEqualTo(Map.of("b", "4"));
    cache.clear();
    assertThat(cache).isEmpty();
    assertThat(cache.versions("b", null, null, 10, false)).hasSize(3);
  }

  @Test
  void whatIsComputedByTwoAtOnceIsNotLost() throws Exception {
    VersionedCache<String, String, Long> one = cache("pages");
    try (AtomicObjectFactory elsewhere = AtomicObjectFactory.on(store)) {
      VersionedCache<String, String, Long> two =
          VersionedCache.builder(
                  elsewhere, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
              .open();
      List<Thread> threads = new ArrayList<>();
      for (VersionedCache<String, String, Long> cache : List.of(one, two)) {
        threads.add(
            new Thread(
                () -> {
                  for (int i = 0; i < 30; i++) {
                    cache.merge("n", "1", (a, b) -> "" + (Integer.parseInt(a) + 1));
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(one.get("n")).isEqualTo("60");
    }
  }

  @Test
  void whatAFunctionThrowsReachesTheCallerAndNothingIsAdded() {
    VersionedCache<String, String, Long> cache = cache("pages");
    cache.put("home", "a");

    assertThatThrownBy(
            () ->
                cache.compute(
                    "home",
                    (k, v) -> {
                      throw new IllegalStateException("mine");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("mine");

    assertThat(cache.versions("home", null, null, 10, false)).hasSize(1);
  }

  @Test
  void keysAndValuesMayBeBytes() {
    VersionedCache<byte[], byte[], Long> cache =
        VersionedCache.builder(
                factory, "bytes", BinaryCodec.BYTES, BinaryCodec.BYTES, new Timestamps(() -> 0))
            .returnValues()
            .open();
    byte[] key = {1};
    cache.put(key, new byte[] {2});

    assertThat(cache.containsKey(new byte[] {1})).isTrue();
    assertThat(cache.containsValue(new byte[] {2})).isTrue();
    assertThat(cache.values().contains(new byte[] {2})).isTrue();
    assertThat(cache.entrySet().contains(Map.entry(new byte[] {1}, new byte[] {2}))).isTrue();
    assertThat(cache.replace(key, new byte[] {3}, new byte[] {4})).isFalse();
    assertThat(cache.replace(key, new byte[] {2}, new byte[0])).isTrue();
    assertThat(cache.values().remove(new byte[0])).isTrue();
    assertThat(cache.isEmpty()).isTrue();
  }
}
