package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.partition.MatchTooCostlyException;
import io.ensemble.partition.PartitionerSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The operations of a distributed cache. */
@Timeout(60)
class DistributedCacheTest extends DistributedFixture {

  @Test
  void everyKeyIsAtItsPartAlone() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    for (int i = 0; i < 300; i++) {
      cache.put("k" + i, i);
    }

    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      String key = "k" + i;
      String part = cache.locate(key).definition().name();
      counts.merge(part, 1, Integer::sum);
      for (String other : PQR.parts()) {
        assertThat(manager.<String, Integer>getCache(other).get(key))
            .isEqualTo(other.equals(part) ? i : null);
      }
    }
    assertThat(counts).containsOnlyKeys("p", "q", "r");
    assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(70, 130));
    assertThat(cache.size()).isEqualTo(300);
    assertThat(manager.<String, Integer>getCache("d")).isInstanceOf(cache.getClass());
    assertThat(manager.getCacheNames()).containsExactly("d", "p", "q", "r");
    assertThat(manager.distribution("d")).contains(PQR);
    assertThat(manager.stored("d")).isEmpty();
  }

  @Test
  void itIsAMapLikeAnother() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR).withReturnValues();
    Map<String, Integer> model = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      String key = "k" + random.nextInt(30);
      int value = random.nextInt(5);
      int other = random.nextInt(5);
      int what = random.nextInt(11);
      assertThat(one(cache, what, key, value, other))
          .as("%d %s %d %d", what, key, value, other)
          .isEqualTo(one(model, what, key, value, other));
    }

    assertThat(cache.size()).isEqualTo(model.size());
    assertThat(new HashMap<>(cache)).isEqualTo(model);
    assertThat(cache.getAll(Set.of("k1", "k2", "k3", "none")))
        .isEqualTo(
            model.entrySet().stream()
                .filter(entry -> Set.of("k1", "k2", "k3").contains(entry.getKey()))
                .collect(HashMap::new, (m, e) -> m.put(e.getKey(), e.getValue()), Map::putAll));
  }

  private static Object one(Map<String, Integer> map, int what, String key, int value, int other) {
    Object result =
        switch (what) {
          case 0 -> map.put(key, value);
          case 1 -> map.get(key);
          case 2 -> map.remove(key);
          case 3 -> map.putIfAbsent(key, value);
          case 4 -> map.replace(key, value);
          case 5 -> map.replace(key, value, other);
          case 6 -> map.remove(key, value);
          case 7 ->
              map.compute(key, (k, v) -> v == null ? Integer.valueOf(value) : v > 2 ? null : v + 1);
          case 8 -> map.merge(key, value, (x, y) -> x + y > 6 ? null : x + y);
          case 9 -> map.computeIfAbsent(key, k -> value);
          default -> map.containsKey(key);
        };
    return Objects.requireNonNullElse(result, "null");
  }

  @Test
  void whatHasManyKeysGoesOverAllParts() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    Map<String, Integer> all = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      all.put("k" + i, i);
    }

    cache.putAll(all);

    assertThat(cache.getAll(all.keySet())).isEqualTo(all);
    assertThat(new HashSet<>(cache.keySet())).isEqualTo(all.keySet());
    assertThat(cache.containsValue(999)).isTrue();
    assertThat(cache.containsValue(1000)).isFalse();
    try (var keys = cache.keySet().iterator()) {
      String first = keys.next();
      keys.remove();
      assertThat(cache.get(first)).isNull();
    }
    assertThat(engines.values()).allSatisfy(e -> assertThat(e.openScans).hasValue(0));
    cache.clear();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(manager.getCache("q").size()).isZero();
  }

  @Test
  void aKeyAtAnotherPartThanItsOwnIsNotThere() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    String elsewhere = cache.locate("k").definition().name().equals("p") ? "q" : "p";

    manager.<String, Integer>getCache(elsewhere).put("k", 1);

    assertThat(cache.get("k")).isNull();
    assertThat(cache.size()).isZero();
    assertThat(cache.keySet()).isEmpty();
  }

  @Test
  void partsMayBeDistributedThemselves() {
    distributed(PQR);
    part("s", "c");
    DistributedEnsembleCache<String, Integer> outer =
        manager.createDistributed(DistributedDefinition.of("outer", "d", "s", "p"));
    for (int i = 0; i < 400; i++) {
      outer.put("k" + i, i);
    }

    Set<String> met = new LinkedHashSet<>();
    for (Iterator<String> keys = outer.keySet().iterator(); keys.hasNext(); ) {
      assertThat(met.add(keys.next())).isTrue();
    }
    assertThat(met).hasSize(400);
    for (int i = 0; i < 400; i++) {
      EnsembleCache<String, Integer> part = outer.locate("k" + i);
      assertThat(part.get("k" + i)).isEqualTo(i);
      assertThat(part instanceof DistributedEnsembleCache).isEqualTo(part.getName().equals("d"));
    }
    assertThat(outer.definition().sites()).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void keysOfAGroupAreAtOnePart() {
    DistributedEnsembleCache<String, Integer> cache =
        distributed(PQR.by(PartitionerSpec.of("uniform").with("pattern", "^user:(\\d+):")));
    Set<String> parts = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      String part = cache.locate("user:" + i + ":name").getName();
      assertThat(cache.locate("user:" + i + ":age").getName()).isEqualTo(part);
      assertThat(cache.locate("" + i).getName()).isEqualTo(part);
      parts.add(part);
    }

    assertThat(parts).hasSize(3);
    assertThatExceptionOfType(MatchTooCostlyException.class)
        .isThrownBy(() -> cache.async().get("user:" + "1".repeat(200_000)));
  }

  @Test
  void aKeyWithoutAPartStopsNoWalk() {
    DistributedEnsembleCache<String, Integer> cache =
        distributed(PQR.by(PartitionerSpec.of("uniform").with("pattern", "^(x+)")));
    cache.put("k", 1);
    for (String part : PQR.parts()) {
      manager.<String, Integer>getCache(part).put("x".repeat(1_000_000), 2);
    }

    assertThat(cache.keySet()).containsExactly("k");
  }

  @Test
  void inFrontierModeAReadFindsWhatIsAtTheLocalSite() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR.inFrontierMode());
    int elsewhere = 0;
    for (int i = 0; i < 100; i++) {
      String key = "k" + i;
      cache.put(key, i);
      boolean away = cache.locate(key).getName().equals("q");
      engines.get("q").lastDeadline = null;

      assertThat(cache.get(key)).isEqualTo(away ? null : i);
      assertThat(cache.containsKey(key)).isEqualTo(!away);
      assertThat(cache.getAll(Set.of(key))).hasSize(away ? 0 : 1);
      assertThat(engines.get("q").lastDeadline).as("no request").isNull();
      assertThat(cache.putIfAbsent(key, -1)).isEqualTo(i);
      assertThat(cache.locate(key).get(key)).isEqualTo(i);
      elsewhere += away ? 1 : 0;
    }

    assertThat(elsewhere).isBetween(15, 55);
    assertThat(registry.get("ensemble.frontier.elsewhere").tag("cache", "d").counter().count())
        .isEqualTo(3.0 * elsewhere);
    assertThat(cache.size()).isEqualTo(100);
    assertThat(manager("b").<String, Integer>getCache("d").getAll(cache.keySet()))
        .hasSize(100 - (int) count(cache, "p"));
  }

  private static long count(DistributedEnsembleCache<String, Integer> cache, String part) {
    return cache.keySet().stream().filter(k -> cache.locate(k).getName().equals(part)).count();
  }

  @Test
  void theFrontierIsAroundTheInnermostPart() {
    distributed(PQR);
    part("s", "c");
    DistributedEnsembleCache<String, Integer> outer =
        manager.createDistributed(DistributedDefinition.of("outer", "d", "s").inFrontierMode());
    DistributedEnsembleCache<String, Integer> inner =
        (DistributedEnsembleCache<String, Integer>) manager.<String, Integer>getCache("d");
    for (int i = 0; i < 100; i++) {
      String key = "k" + i;
      outer.put(key, i);
      boolean near =
          outer.locate(key).getName().equals("d") && !inner.locate(key).getName().equals("q");

      assertThat(outer.get(key)).isEqualTo(near ? i : null);
    }
  }

  @Test
  void aPartThatIsClosedFailsItsOwnKeysUntilTheCacheIsAskedForAgain() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    String atQ = key(cache, "q");
    String atP = key(cache, "p");
    cache.put(atQ, 1);
    cache.put(atP, 2);

    manager.stopCache("q");

    assertThatIllegalStateException()
        .isThrownBy(() -> cache.get(atQ))
        .withMessageContaining("cache=q");
    assertThat(cache.get(atP)).isEqualTo(2);
    DistributedEnsembleCache<String, Integer> again =
        (DistributedEnsembleCache<String, Integer>) manager.<String, Integer>getCache("d");
    assertThat(again.get(atQ)).isEqualTo(1);
    assertThatIllegalStateException()
        .isThrownBy(() -> cache.get(atP))
        .withMessageContaining("cache=d");
    again.stop();
    assertThat(manager.<String, Integer>getCache("p").get(atP)).isEqualTo(2);
  }

  private static String key(DistributedEnsembleCache<String, Integer> cache, String part) {
    for (int i = 0; ; i++) {
      if (cache.locate("x" + i).getName().equals(part)) {
        return "x" + i;
      }
    }
  }

  @Test
  void viewsKeepTheirDeadlineAndTheirReturnValues() {
    DistributedEnsembleCache<String, Integer> cache = distributed(PQR);
    Duration deadline = Duration.ofSeconds(17);

    DistributedEnsembleCache<String, Integer> view =
        cache.withReturnValues().withDeadline(deadline);

    assertThat(view.put("k", 1)).isNull();
    assertThat(view.put("k", 2)).isEqualTo(1);
    assertThat(view.locate("k").put("k", 3)).isEqualTo(2);
    assertThat(view.locate("k").deadline()).isEqualTo(deadline);
    assertThatIllegalArgumentException().isThrownBy(() -> cache.withDeadline(Duration.ZERO));
    assertThat(cache.toString()).isEqualTo("DistributedEnsembleCache[d, [p, q, r]]");
  }

  @Test
  void thePromiseIsTheWeakestOfTheParts() {
    part("p", "a");
    manager.createCache(
        CacheDefinition.of("w", Mode.WEAK)
            .sites("c", "a")
            .deadline(Duration.ofSeconds(9))
            .maxValueBytes(100)
            .acknowledgement(Acknowledgement.MAJORITY)
            .tombstoneGrace(Duration.ofMinutes(1))
            .build());
    DistributedEnsembleCache<String, String> cache =
        manager.createDistributed(DistributedDefinition.of("d", "p", "w"));

    assertThat(cache.definition())
        .isEqualTo(
            CacheDefinition.of("d", Mode.WEAK)
                .sites("a", "c")
                .deadline(Duration.ofSeconds(9))
                .maxValueBytes(100)
                .acknowledgement(Acknowledgement.MAJORITY)
                .tombstoneGrace(Duration.ofMinutes(1))
                .build());
    assertThatThrownBy(() -> cache.put("k", "v".repeat(200)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 100 bytes");
  }
}
