package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVectors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All keys as of one version. */
class CacheSnapshotTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(3);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> numbered() {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
  }

  @Test
  void aCutShowsEachKeyAsItWas() {
    VersionedCache<String, String, Long> cache = numbered();
    cache.put("a", "a3", 3L);
    cache.put("a", "a7", 7L);
    cache.put("b", "b6", 6L);
    cache.put("c", "c1", 1L);
    cache.async().added("c", 2L, null, null).toCompletableFuture().join();

    CacheSnapshot<String, String, Long> five = cache.at(5L);

    assertThat(five.get("a").orElseThrow().value()).contains("a3");
    assertThat(five.get("b")).isEmpty();
    assertThat(five.get("c").orElseThrow().value()).isEmpty();
    assertThat(shown(five)).isEqualTo(Map.of("a", "a3"));
    assertThat(five.getAll(Set.of("a", "b", "c"))).containsOnlyKeys("a");
    assertThat(five.version()).isEqualTo(5L);
  }

  @Test
  void whatACutHasShownStaysSoAlsoOfKeysThatWereNotThere() {
    VersionedCache<String, String, Long> cache = numbered();
    VersionedCache<String, String, Long> other = numbered();
    cache.put("old", "1", 1L);
    assertThat(shown(cache.at(5L))).isEqualTo(Map.of("old", "1"));

    assertThatThrownBy(() -> other.put("new", "x", 5L))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
    assertThatThrownBy(() -> other.put("old", "x", 5L))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
    assertThatThrownBy(() -> other.addAll("more", List.of(new Versioned<>(4L, Optional.of("x")))))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
    assertThat(other.add("new", "y")).isGreaterThan(5L);

    assertThat(shown(other.at(5L))).isEqualTo(Map.of("old", "1"));
    assertThat(shown(other.at(9L))).isEqualTo(Map.of("old", "1", "new", "y"));
  }

  @Test
  void aLowerCutIsNoneThatHoldsBack() {
    VersionedCache<String, String, Long> cache = numbered();
    cache.at(9L);
    cache.at(5L);

    assertThatThrownBy(() -> cache.put("new", "x", 8L))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
    cache.put("new", "x", 10L);
  }

  @Test
  void differencesAreThoseOfTheWholeCache() {
    VersionedCache<String, String, Long> cache = numbered();
    cache.put("same", "s", 1L);
    cache.put("changed", "c1", 1L);
    cache.put("changed", "c2", 4L);
    cache.put("added", "a", 5L);
    cache.put("removed", "r", 2L);
    cache.async().added("removed", 3L, null, null).toCompletableFuture().join();
    cache.put("later", "l", 6L);

    Map<String, SnapshotDifference.Kind> kinds = new HashMap<>();
    try (CloseableIterator<SnapshotDifference<String, String, Long>> all =
        cache.at(2L).diff(cache.at(5L))) {
      all.forEachRemaining(d -> kinds.put(d.key(), d.kind()));
    }

    assertThat(kinds)
        .isEqualTo(
            Map.of(
                "changed", SnapshotDifference.Kind.CHANGED,
                "added", SnapshotDifference.Kind.ADDED,
                "removed", SnapshotDifference.Kind.REMOVED));
  }

  @Test
  void aSnapshotHoldsAllThatHadEndedThoughClocksAreApart() {
    AtomicLong clock = new AtomicLong(1_000_000);
    VersionedCache<String, String, HybridTime> ahead =
        versionedCacheFixture.process(
            new HybridTimes(() -> clock.get() + 40, Duration.ofMillis(50)),
            VersionedCacheFixture.small(IndexType.AUTO));
    VersionedCache<String, String, HybridTime> behind =
        versionedCacheFixture.process(
            new HybridTimes(clock::get, Duration.ofMillis(50)),
            VersionedCacheFixture.small(IndexType.AUTO));
    ahead.put("a", "before");

    CacheSnapshot<String, String, HybridTime> cut = behind.snapshot();

    assertThat(shown(cut)).isEqualTo(Map.of("a", "before"));
    ahead.put("a", "after");
    ahead.put("b", "after");
    behind.put("c", "after");
    assertThat(shown(cut)).isEqualTo(Map.of("a", "before"));
  }

  @Test
  void whatIsAddedTwiceTheSkewLaterIsNotInASnapshot() {
    AtomicLong clock = new AtomicLong(1_000_000);
    Duration skew = Duration.ofMillis(50);
    VersionedCache<String, String, HybridTime> behind =
        versionedCacheFixture.process(
            new HybridTimes(() -> clock.get() - 50, skew),
            VersionedCacheFixture.small(IndexType.AUTO));
    VersionedCache<String, String, HybridTime> other =
        versionedCacheFixture.process(
            new HybridTimes(clock::get, skew), VersionedCacheFixture.small(IndexType.AUTO));
    behind.put("a", "before");
    CacheSnapshot<String, String, HybridTime> cut = other.snapshot();

    clock.addAndGet(101);
    behind.put("a", "after");

    assertThat(shown(cut)).isEqualTo(Map.of("a", "before"));
  }

  @Test
  void aCutThatIsToComeIsRefused() {
    AtomicLong clock = new AtomicLong(1_000_000);
    VersionedCache<String, String, HybridTime> cache =
        versionedCacheFixture.process(
            new HybridTimes(clock::get), VersionedCacheFixture.small(IndexType.AUTO));

    assertThatThrownBy(() -> cache.at(new HybridTime(2_000_000, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in the future");
    assertThat(cache.add("a", "x").millis()).isEqualTo(1_000_000);
  }

  @Test
  void versionsThatAreNoLineHaveNoCut() {
    VersionedCache<String, String, ?> cache =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));

    assertThatThrownBy(cache::snapshot).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aKeyThatCompactionTookIsThrownOnceAndTheWalkGoesOn() {
    VersionedCache<String, String, Long> cache = numbered();
    for (String key : List.of("a", "b", "c")) {
      cache.put(key, "1", 1L);
      cache.put(key, "4", 4L);
    }
    cache.compact("b", 4L);

    List<String> met = new ArrayList<>();
    int failures = 0;
    try (CloseableIterator<Map.Entry<String, Versioned<Long, String>>> walk =
        cache.at(2L).entries()) {
      while (true) {
        try {
          if (!walk.hasNext()) {
            break;
          }
          met.add(walk.next().getKey());
        } catch (VersioningException.VersionCompacted e) {
          failures++;
        }
      }
    }

    assertThat(met).containsExactlyInAnyOrder("a", "c");
    assertThat(failures).isOne();
  }

  /** A snapshot never changes, even when keys are created later. */
  @Test
  void cutsStandWhileOthersWrite() throws Exception {
    List<VersionedCache<String, String, Long>> writers =
        List.of(numbered(), numbered(), numbered());
    VersionedCache<String, String, Long> reader = numbered();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (VersionedCache<String, String, Long> writer : writers) {
      Random random = new Random(threads.size());
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < 120; i++) {
                  String key = "k" + random.nextInt(60);
                  try {
                    writer.put(key, "v" + i, (long) random.nextInt(400) + 1);
                  } catch (VersioningException refused) {
                    // Some versions exist already, or are below a snapshot.
                  } catch (Throwable e) {
                    synchronized (failures) {
                      failures.add(e);
                    }
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    Map<Long, Map<String, String>> first = new HashMap<>();
    for (long version = 10; version <= 300; version += 40) {
      first.put(version, shown(reader.at(version)));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    VersionedCache<String, String, Long> later = numbered();
    first.forEach(
        (version, due) -> assertThat(shown(later.at(version))).as("at " + version).isEqualTo(due));
    assertThat(failures).isEmpty();
  }

  @Test
  void snapshotsDoNotRunAhead() {
    AtomicLong clock = new AtomicLong(1_000_000);
    HybridTimes space = new HybridTimes(clock::get, Duration.ofMillis(50));
    VersionedCache<String, String, HybridTime> cache =
        versionedCacheFixture.process(space, VersionedCacheFixture.small(IndexType.AUTO));
    for (int i = 0; i < 20; i++) {
      cache.snapshot();
    }

    clock.addAndGet(20);
    assertThat(cache.snapshot().version().millis()).isEqualTo(clock.get() + 50);
  }

  @Test
  void aSnapshotHoldsWhatWasWrittenAboveAnEarlierOne() {
    AtomicLong clock = new AtomicLong(1_000_000);
    VersionedCache<String, String, HybridTime> here =
        versionedCacheFixture.process(
            new HybridTimes(clock::get), VersionedCacheFixture.small(IndexType.AUTO));
    VersionedCache<String, String, HybridTime> there =
        versionedCacheFixture.process(
            new HybridTimes(clock::get), VersionedCacheFixture.small(IndexType.AUTO));
    CacheSnapshot<String, String, HybridTime> before = here.snapshot();
    here.add("a", "after");

    assertThat(shown(there.snapshot())).isEqualTo(Map.of("a", "after"));
    assertThat(shown(before)).isEmpty();
  }

  @Test
  void aCutAtTheLargestNumberIsRefused() {
    VersionedCache<String, String, Long> cache = numbered();

    assertThatThrownBy(() -> cache.at(Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    assertThat(cache.add("a", "x")).isEqualTo(1L);
  }

  @Test
  void aKeyThatIsNotThereIsNotMadeByACut() {
    VersionedCache<String, String, Long> cache = numbered();
    cache.add("a", "x");
    CacheSnapshot<String, String, Long> cut = cache.at(1L);

    assertThat(cut.get("b")).isEmpty();

    assertThat(cache.keys()).toIterable().containsExactly("a");
    assertThat(numbered().add("b", "y")).isEqualTo(2L);
    assertThat(cut.get("b")).isEmpty();
  }

  @Test
  void nothingIsShownOfAKeyThatWasPurged() {
    VersionedCache<String, String, Long> cache = numbered();
    cache.add("a", "x");
    CacheSnapshot<String, String, Long> cut = cache.at(1L);
    cache.purge("a");

    assertThat(cut.get("a")).isEmpty();
    assertThat(cache.add("a", "y")).isEqualTo(2L);
    assertThat(cut.get("a")).isEmpty();
  }

  private static <T> Map<String, String> shown(CacheSnapshot<String, String, T> cut) {
    Map<String, String> all = new HashMap<>();
    try (CloseableIterator<Map.Entry<String, Versioned<T, String>>> walk = cut.entries()) {
      walk.forEachRemaining(e -> all.put(e.getKey(), e.getValue().value().orElseThrow()));
    }
    return all;
  }
}
