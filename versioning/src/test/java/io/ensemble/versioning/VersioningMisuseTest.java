package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VersioningMisuseTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> ordered() {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO), true);
  }

  @Test
  void aVersionThatIsNotAboveAllOthersIsRefusedWhereThatIsWanted() {
    VersionedCache<String, String, Long> cache = ordered();
    cache.put("key", "five", 5L);

    assertThatThrownBy(() -> cache.put("key", "four", 4L))
        .isInstanceOf(VersioningException.VersionNotAbove.class)
        .hasMessageContaining("got 4; latest is 5; key=key");
    assertThat(cache.versions("key", null, null, 10, false)).containsExactly(5L);
  }

  @Test
  void theInitialVersionIsGivenToNothing() {
    VersionedCache<String, String, Long> cache = ordered();

    assertThatThrownBy(() -> cache.put("key", "zero", 0L))
        .isInstanceOf(VersioningException.VersionNotAbove.class);
  }

  @Test
  void anInvertedRangeAndANegativeLimitAreMistakes() {
    VersionedCache<String, String, Long> cache = ordered();

    assertThatThrownBy(() -> cache.getRange("key", 5L, 4L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 5 to 4");
    assertThatThrownBy(() -> cache.versions("key", null, null, -1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got -1");
  }

  @Test
  void aKeyWithoutHistoryHasNothing() {
    VersionedCache<String, String, Long> cache = ordered();

    assertThat(cache.latest("none")).isEmpty();
    assertThat(cache.getRange("none", 1L, 9L)).isEmpty();
    assertThat(cache.getPredecessor("none", 5L)).isEmpty();
    assertThatThrownBy(() -> cache.get("none", 5L))
        .isInstanceOf(VersioningException.UnknownVersion.class);
  }

  @Test
  void aKeyThatIsTooLongIsAMistake() {
    VersionedCache<String, String, Long> cache = ordered();

    assertThatThrownBy(() -> cache.add("k".repeat(601), "value"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 601");
  }

  @Test
  void aShardHasAtLeastTwoVersions() {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      assertThatThrownBy(
              () ->
                  VersionedCache.builder(
                          factory, "x", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps())
                      .shardSize(1)
                      .open())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("got 1");
    }
  }

  @Test
  void twoProcessesWantTheSameOfACache() {
    try (AtomicObjectFactory here = AtomicObjectFactory.on(versionedCacheFixture.store);
        AtomicObjectFactory there = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      VersionedCache.builder(here, "x", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps())
          .index(IndexType.TREE)
          .open()
          .add("key", "value");

      assertThatThrownBy(
              () ->
                  VersionedCache.builder(
                          there, "x", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps())
                      .index(IndexType.BASELINE)
                      .open())
          .isInstanceOf(VersioningException.OtherSettings.class)
          .hasMessageContaining("expected index BASELINE")
          .hasMessageContaining("found index TREE");
      assertThatThrownBy(
              () ->
                  VersionedCache.builder(
                          there, "x", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
                      .index(IndexType.TREE)
                      .open())
          .isInstanceOf(VersioningException.OtherSettings.class);
      assertThat(
              VersionedCache.builder(
                      there, "x", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps())
                  .index(IndexType.TREE)
                  .open()
                  .latest("key"))
          .isPresent();
    }
  }

  @Test
  void whatAMergeThrowsReachesTheCallerAndNothingIsAdded() {
    VersionedCache<String, String, VersionVector> cache =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));
    cache.put("key", "a", VersionVector.of("a"));
    cache.put("key", "b", VersionVector.of("b"));

    assertThatThrownBy(
            () ->
                cache.resolve(
                    "key",
                    (a, b) -> {
                      throw new ArithmeticException("as a test requires it");
                    }))
        .isInstanceOf(ArithmeticException.class);
    assertThat(cache.heads("key")).hasSize(2);
  }

  @Test
  void versionsOfSeveralLinesHaveNoCuts() {
    VersionedCache<String, String, VersionVector> cache =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));

    assertThatThrownBy(() -> cache.asOf("key", VersionVector.of("here")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void whatIsPurgedIsGoneForGood() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
    for (int i = 0; i < 30; i++) {
      cache.add("key", "value " + i);
    }
    cache.settle("key");

    cache.purge("key");

    assertThat(cache.latest("key")).isEmpty();
    assertThat(versionedCacheFixture.parts()).isZero();
    assertThatThrownBy(() -> cache.put("key", "again", 30L))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
    assertThat(cache.add("key", "new")).isGreaterThan(30L);
  }

  @Test
  void whatHasNoHistoryGetsNone() {
    VersionedCache<String, String, Long> cache = ordered();

    cache.purge("none");
    cache.settle("none");
    cache.compact("none", 5L);

    assertThat(versionedCacheFixture.store.entries()).isEmpty();
  }

  @Test
  void anOldVersionIsRestoredAsANewOne() {
    VersionedCache<String, String, Long> cache = ordered();
    Long first = cache.add("key", "first");
    cache.add("key", "second");

    Long restored = cache.restore("key", first);

    assertThat(cache.latest("key")).contains(new Versioned<>(restored, Optional.of("first")));
    assertThat(cache.versions("key", null, null, 10, false)).hasSize(3).isSorted();
  }

  @Test
  void ofManyThatAreAddedThoseBeforeARefusalStay() {
    VersionedCache<String, String, Long> cache = ordered();

    assertThatThrownBy(
            () ->
                cache.addAll(
                    "key",
                    List.of(
                        new Versioned<>(1L, Optional.of("a")),
                        new Versioned<>(3L, Optional.of("c")),
                        new Versioned<>(2L, Optional.of("b")))))
        .isInstanceOf(VersioningException.VersionNotAbove.class);

    assertThat(cache.versions("key", null, null, 10, false)).containsExactly(1L, 3L);
  }

  @Test
  void aPartThatWasDamagedIsSaid() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
    for (int i = 0; i < 30; i++) {
      cache.add("key", "value " + i);
    }
    cache.settle("key");
    versionedCacheFixture.store.entries().keySet().stream()
        .filter(k -> k.startsWith("part/"))
        .forEach(
            k ->
                versionedCacheFixture.store.put(k, new byte[] {9, 9}).toCompletableFuture().join());
    VersionedCache<String, String, Long> reader =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));

    assertThatThrownBy(() -> reader.getRange("key", 1L, 30L))
        .isInstanceOf(VersioningException.PartUnreadable.class)
        .hasMessageContaining("key=key");
    assertThat(reader.get("key")).isEqualTo("value 29");
  }
}
