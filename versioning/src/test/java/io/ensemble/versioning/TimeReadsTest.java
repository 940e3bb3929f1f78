package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Versions are read by the time at which they were made. */
class TimeReadsTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(3);
  private final AtomicLong clock = new AtomicLong(1_000);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, HybridTime> cache(IndexType indexType) {
    return versionedCacheFixture.process(
        new HybridTimes(clock::get), VersionedCacheFixture.small(indexType));
  }

  /** Two versions in each of 30 milliseconds, ten milliseconds apart. */
  private VersionedCache<String, String, HybridTime> filled(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = cache(indexType);
    for (int i = 1; i <= 30; i++) {
      clock.addAndGet(10);
      cache.add("key", "first of " + clock.get());
      cache.add("key", "second of " + clock.get());
    }
    return cache;
  }

  private static Instant at(long millis) {
    return Instant.ofEpochMilli(millis);
  }

  private static Optional<String> valueAt(
      VersionedReads<String, String, HybridTime> cache, Instant time) {
    return cache.getAsOf("key", time).found().flatMap(Versioned::value);
  }

  @ParameterizedTest
  @EnumSource
  void aTimeContainsItsWholeMillisecond(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = filled(indexType);

    assertThat(valueAt(cache, at(1_100))).contains("second of 1100");
    assertThat(valueAt(cache, at(1_100).plusNanos(999_999))).contains("second of 1100");
    assertThat(valueAt(cache, at(1_109))).contains("second of 1100");
    assertThat(valueAt(cache, at(1_099))).contains("second of 1090");
    assertThat(valueAt(cache.sequential(), at(1_099))).contains("second of 1090");
    assertThat(valueAt(cache, Instant.MAX)).contains("second of 1300");
    assertThat(cache.getAsOf("key", at(1_009))).isEqualTo(new AsOfResult.Absent<>());
    assertThat(cache.getAsOf("key", Instant.MIN)).isEqualTo(new AsOfResult.Absent<>());
    assertThat(cache.getAsOf("none", at(1_100))).isEqualTo(new AsOfResult.Absent<>());
  }

  @ParameterizedTest
  @EnumSource
  void aRangeOfTimesContainsBothEnds(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = filled(indexType);

    assertThat(cache.getBetween("key", at(1_100), at(1_120)))
        .extracting(v -> v.version().millis())
        .containsExactly(1_100L, 1_100L, 1_110L, 1_110L, 1_120L, 1_120L);
    assertThat(cache.getBetween("key", at(1_101), at(1_119))).hasSize(2);
    assertThat(cache.getBetween("key", at(1_101), at(1_109))).isEmpty();
    assertThat(cache.getBetween("key", Instant.MIN, Instant.MAX)).hasSize(60);
    assertThat(cache.getBetween("key", Instant.EPOCH, Instant.EPOCH)).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.getBetween("key", at(2), at(1)))
        .withMessageContaining("got 1970");
  }

  @ParameterizedTest
  @EnumSource
  void aReaderOfACompactedTimeGetsTheOldestVersionThatIsKept(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = filled(indexType);
    Versioned<HybridTime, String> oldest = cache.getAsOf("key", at(1_200)).found().orElseThrow();
    cache.compact("key", oldest.version());

    assertThat(cache.getAsOf("key", at(1_100))).isEqualTo(new AsOfResult.Compacted<>(oldest));
    assertThat(cache.getAtOrBelow("key", new HybridTime(1, 0)))
        .isEqualTo(new AsOfResult.Compacted<>(oldest));
    assertThat(cache.getAsOf("key", at(1_100)).found()).isEmpty();
    assertThat(cache.getAsOf("key", at(1_200))).isEqualTo(new AsOfResult.Present<>(oldest));
  }

  @Test
  void aReadByTimeDoesNotPreventLateVersions() {
    VersionedCache<String, String, HybridTime> cache = filled(IndexType.TREE);

    assertThat(valueAt(cache, at(1_105))).contains("second of 1100");
    cache.put("key", "late", new HybridTime(1_103, 0));

    assertThat(valueAt(cache, at(1_105))).contains("late");
  }

  @Test
  void aRemovalIsAVersionWithoutAValue() {
    VersionedCache<String, String, HybridTime> cache = cache(IndexType.AUTO);
    cache.add("key", "value");
    clock.set(2_000);
    cache.remove("key");

    assertThat(cache.getAsOf("key", at(3_000)).found().orElseThrow().value()).isEmpty();
  }

  @Test
  void aTimeIsConvertedToAVersionForOtherOperations() {
    VersionedCache<String, String, HybridTime> cache = filled(IndexType.TREE);

    HybridTime version = cache.versionAt(at(1_100));

    assertThat(cache.at(version).get("key").orElseThrow().value()).contains("second of 1100");
    assertThatThrownBy(() -> cache.put("key", "late", new HybridTime(1_100, 99)))
        .isInstanceOf(VersioningException.VersionBelowSnapshot.class);
  }

  @Test
  void numbersAreTimesToo() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(clock::get), VersionedCacheFixture.small(IndexType.AUTO));
    cache.add("key", "value");

    assertThat(cache.getAsOf("key", at(1_000)).found()).isPresent();
    assertThat(cache.getAsOf("key", at(999)).found()).isEmpty();
    assertThat(cache.getBetween("key", at(1_000), at(1_000))).hasSize(1);
  }

  @Test
  void versionsWithoutTimesAreNotReadByTime() {
    VersionedCache<String, String, VersionVector> cache =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));
    cache.put("key", "value", VersionVector.of("here"));

    assertThatThrownBy(() -> cache.getAsOf("key", at(1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("version-vectors");
    assertThatThrownBy(() -> cache.getBetween("key", at(1), at(2)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(cache.getAtOrBelow("key", VersionVector.of("here")).found()).isPresent();
    assertThat(List.of(cache.getAtOrBelow("key", VersionVector.of("there"))))
        .containsExactly(new AsOfResult.Absent<>());
  }
}
