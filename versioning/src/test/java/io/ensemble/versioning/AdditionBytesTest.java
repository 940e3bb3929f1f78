package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes that an addition writes, with what it moves to packs and shards. */
@Execution(ExecutionMode.CONCURRENT)
class AdditionBytesTest {

  private static final int SHARD_SIZE = 1_000;
  private static final int VALUE_BYTES = 386;
  private static final int ADDITIONS = 600;

  /** With 8 KiB of values and 1,250 versions in each entry, these were 9,300 to 12,300. */
  private static final long MOST_BYTES = 5_500;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(3);
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
  private final SplittableRandom random = new SplittableRandom(3);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private <T> VersionedCache<String, String, T> cache(VersionSpace<T> space, IndexType indexType) {
    versionedCacheFixture.view = store -> new ByteCountingStore(store, new AtomicLong(), written);
    versionedCacheFixture.keptBytes = 16 << 20;
    return versionedCacheFixture.process(space, HistoryLimits.of(indexType, SHARD_SIZE));
  }

  private static VersionedCache<String, String, Long> filled(
      VersionedCache<String, String, Long> cache, long versions) {
    for (long first = 1; first <= versions; first += 500) {
      cache.addAll(
          "key",
          LongStream.range(first, Math.min(versions + 1, first + 500))
              .mapToObj(v -> new Versioned<>(v, Optional.of("value " + v)))
              .toList());
      cache.settle("key");
    }
    return cache;
  }

  private String value() {
    StringBuilder value = new StringBuilder();
    while (value.length() < VALUE_BYTES) {
      value.append((char) ('a' + random.nextInt(26)));
    }
    return value.toString();
  }

  /** The mean of many additions, so that it includes the moves that come now and then. */
  private <T> long bytesOfAnAddition(VersionedCache<String, String, T> cache) {
    long before = written.get();
    for (int i = 0; i < ADDITIONS; i++) {
      clock.addAndGet(1 + random.nextInt(2_000));
      assertThat(cache.add("key", value())).isNotNull();
      cache.settle("key"); // The same steps in each run.
    }
    return (written.get() - before) / ADDITIONS;
  }

  @ParameterizedTest
  @CsvSource({"AUTO, 100", "AUTO, 1000", "TREE, 100"})
  void anAdditionWritesFewBytes(IndexType indexType, long versions) {
    VersionedCache<String, String, Long> cache =
        filled(cache(new Timestamps(() -> 0), indexType), versions);

    assertThat(bytesOfAnAddition(cache)).isBetween((long) VALUE_BYTES, MOST_BYTES);
  }

  @ParameterizedTest
  @CsvSource({"AUTO, 10000", "SHARDED, 10000"})
  @Tag("nightly")
  void anAdditionToALongHistoryWritesFewBytes(IndexType indexType, long versions) {
    anAdditionWritesFewBytes(indexType, versions);
  }

  @Test
  void anAdditionWithATimeWritesFewBytes() {
    VersionedCache<String, String, ?> cache = cache(new HybridTimes(clock::get), IndexType.AUTO);

    assertThat(bytesOfAnAddition(cache)).isBetween((long) VALUE_BYTES, MOST_BYTES);
    assertThat(bytesOfAnAddition(cache)).isBetween((long) VALUE_BYTES, MOST_BYTES);
  }

  @ParameterizedTest
  @EnumSource(names = {"TREE", "SHARDED"})
  @Tag("nightly")
  void tenTimesTheVersionsAreMuchLessThanTenTimesTheBytes(IndexType indexType) {
    VersionedCache<String, String, Long> cache =
        filled(cache(new Timestamps(() -> 0), indexType), 10_000);
    long some = bytesOfAnAddition(cache);
    long last = cache.latest("key").orElseThrow().version();
    for (long first = last + 1; first <= 100_000; first += 500) {
      cache.addAll(
          "key",
          LongStream.range(first, first + 500)
              .mapToObj(v -> new Versioned<>(v, Optional.of("value " + v)))
              .toList());
      cache.settle("key");
    }

    assertThat(bytesOfAnAddition(cache)).isLessThan(3 * some);
  }
}
