package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values of the maximum size, and many at once. */
class LargeVersionsTest {

  private static final int LARGEST = 240 << 10;
  private static final int SHARD_SIZE = 1000;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> process(IndexType indexType) {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), HistoryLimits.of(indexType, SHARD_SIZE));
  }

  @Test
  void largeValuesThatWaitTogetherAreMovedOneByOne() {
    versionedCacheFixture.patience = Duration.ofMillis(200);
    VersionedCache<String, String, Long> cache = process(IndexType.TREE);
    versionedCacheFixture.store.full(key -> key.startsWith("part/"));
    for (int i = 0; i < 3; i++) {
      cache.async().add("key", "x".repeat(LARGEST)).toCompletableFuture().join();
    }
    versionedCacheFixture.store.full(key -> false);

    versionedCacheFixture.patience = Duration.ofSeconds(20);
    process(IndexType.TREE).settle("key");

    assertThat(versionedCacheFixture.parts()).isEqualTo(3);
    assertThat(cache.getRange("key", 1L, 3L))
        .extracting(v -> v.value().orElseThrow())
        .containsOnly("x".repeat(LARGEST));
  }

  @Test
  void whatIsReadMayBeLongerThanWhatACallReturns() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);
    for (int i = 0; i < 50; i++) {
      cache.add("key", i + "x".repeat(10_000));
    }

    assertThat(cache.getRange("key", 1L, 50L)).hasSize(50);
    assertThat(process(IndexType.BASELINE).getRange("key", 1L, 50L)).hasSize(50);
  }

  @Test
  void aValueThatNothingCouldMoveIsRefusedAtOnce() {
    VersionedCache<String, String, Long> cache = process(IndexType.TREE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.add("key", "x".repeat(LARGEST + 1)))
        .withMessageContaining(String.valueOf(LARGEST));
  }

  @Test
  void manyAreAddedAfterALargeOne() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);
    cache.add("key", "x".repeat(LARGEST));

    cache.addAll(
        "key",
        List.of(
            new Versioned<>(10L, Optional.of("y".repeat(60_000))),
            new Versioned<>(11L, Optional.of("z"))));

    assertThat(cache.latest("key")).contains(new Versioned<>(11L, Optional.of("z")));
  }

  @Test
  void whatIsLargeCanBeCompacted() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);
    for (int i = 0; i < 3; i++) {
      cache.add("key", "x".repeat(100_000));
    }
    cache.add("key", "y".repeat(100_000));

    cache.compact("key", 2L);

    assertThat(cache.versions("key", null, null, 1, false)).containsExactly(2L);
  }

  @Test
  void longVersionsAreAddedAndMoved() {
    VersionedCache<String, String, VersionVector> cache =
        versionedCacheFixture.process(
            new VersionVectors("writer"), HistoryLimits.of(IndexType.SHARDED, 300));
    List<Versioned<VersionVector, String>> all =
        IntStream.range(1, 400)
            .mapToObj(i -> new Versioned<>(vector(3L * i), Optional.of("v" + i)))
            .toList();

    cache.addAll("key", all);
    cache.settle("key");

    assertThat(versionedCacheFixture.parts()).isGreaterThan(400 / 64);
    assertThat(cache.get("key", vector(3))).contains("v1");
    assertThat(cache.versions("key", null, vector(60), 99, false)).hasSize(20);
  }

  /** Versions so long that a shard of them does not fit into an entry. */
  @Test
  @Tag("nightly")
  void shardsAreSplitOffByBytesToo() {
    VersionedCache<String, String, VersionVector> cache =
        versionedCacheFixture.process(
            new VersionVectors("writer"), HistoryLimits.of(IndexType.SHARDED, 5_000));
    for (int from = 0; from < 1_500; from += 100) {
      cache.addAll(
          "key",
          IntStream.range(from, from + 100)
              .mapToObj(i -> new Versioned<>(vector(3L * i + 3), Optional.of("v" + i)))
              .toList());
      cache.settle("key");
    }

    assertThat(cache.get("key", vector(3))).contains("v0");
    assertThat(cache.get("key", vector(3 * 1_500))).contains("v1499");
    assertThat(cache.versions("key", null, null, 2_000, false)).hasSize(1_500);
    assertThat(versionedCacheFixture.store.entries().values())
        .allMatch(e -> e.value().length < 600 << 10);
  }

  private static VersionVector vector(long count) {
    return new VersionVector(
        new TreeMap<>(
            IntStream.range(0, 20)
                .boxed()
                .collect(Collectors.toMap(w -> "w".repeat(38) + (10 + w), w -> count))));
  }
}
