package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Concurrent versions: neither is above the other. */
class ConcurrentVersionsTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);
  private final VersionedCache<String, String, VersionVector> cache =
      versionedCacheFixture.process(
          new VersionVectors("z"), VersionedCacheFixture.small(IndexType.SHARDED));

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private static VersionVector vector(String writer, long count) {
    return new VersionVector(new TreeMap<>(Map.of(writer, count)));
  }

  /** The new version is included even if it precedes the latest one in the order of the space. */
  @Test
  void resolvingTakesInWhatComesMeanwhile() {
    cache.put("key", "one", vector("a", 5));
    cache.put("key", "two", vector("b", 5));
    AtomicBoolean came = new AtomicBoolean();

    Optional<Versioned<VersionVector, String>> resolved =
        cache.resolve(
            "key",
            (a, b) -> {
              if (!came.getAndSet(true)) {
                cache.async().put("key", "three", vector("c", 1)).toCompletableFuture().join();
              }
              return a + b;
            });

    assertThat(resolved.orElseThrow().value().orElseThrow()).contains("one", "two", "three");
    assertThat(cache.heads("key")).containsExactly(resolved.orElseThrow());
  }

  @Test
  void theLatestIsFoundWithoutTheShards() {
    for (int i = 0; i < 30; i++) {
      cache.add("key", "value " + i);
    }
    cache.settle("key");
    versionedCacheFixture.store.entries().keySet().stream()
        .filter(k -> k.startsWith("part/"))
        .forEach(k -> versionedCacheFixture.store.remove(k).toCompletableFuture().join());

    VersionedCache<String, String, VersionVector> other =
        versionedCacheFixture.process(
            new VersionVectors("y"), VersionedCacheFixture.small(IndexType.SHARDED));
    assertThat(other.latest("key").orElseThrow().value()).contains("value 29");
  }

  @Test
  void aVersionThatNoOtherIsAboveStaysAtHandThoughItCameLate() {
    for (int i = 0; i < 30; i++) {
      cache.add("key", "value " + i);
    }
    cache.settle("key");
    cache.put("key", "alone", vector("b", 1));
    for (int i = 1; i <= 5; i++) {
      cache.put("key", "late " + i, vector("a", i));
      cache.settle("key");
    }

    assertThat(cache.heads("key"))
        .extracting(v -> v.value().orElseThrow())
        .containsExactly("value 29", "late 5", "alone");
    assertThat(cache.versions("key", null, null, 99, false)).hasSize(36).doesNotHaveDuplicates();
    assertThat(cache.get("key", vector("a", 2))).contains("late 2");
  }
}
