package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes that operations move do not grow in proportion to the versions of a key. */
@Execution(ExecutionMode.CONCURRENT)
class LongHistoriesTest {

  private static final int SOME = 1_000;
  private static final int MANY = 10_000;

  /** An operation moves at most this many times the bytes with ten times the versions. */
  private static final double TIMES = 5;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(6);
  private final AtomicLong bytes = new AtomicLong();

  /** A tenth of the sizes of most caches, and of a cache with index TREE. */
  private Function<IndexType, HistoryLimits> limits =
      indexType ->
          new HistoryLimits(
              indexType,
              indexType == IndexType.TREE ? 800 : 100,
              indexType == IndexType.TREE ? 1_000 : 51,
              2 << 10,
              64,
              16 << 10,
              64);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> process(IndexType indexType) {
    versionedCacheFixture.view = store -> new ByteCountingStore(store, bytes, bytes);
    versionedCacheFixture.keptBytes = 0;
    return versionedCacheFixture.process(new Timestamps(() -> 0), limits.apply(indexType));
  }

  /**
   * The bytes of 256 additions, and the most bytes of one read of each kind by processes without
   * copies, among reads after every sixteenth addition: a part of an entry grows until it is moved,
   * and when that happens depends on the speed of the machine.
   */
  private List<Long> measure(IndexType indexType, VersionedCache<String, String, Long> writer) {
    List<Long> moved = new ArrayList<>(List.of(0L, 0L, 0L, 0L, 0L));
    for (int round = 0; round < 16; round++) {
      moved.set(0, moved.get(0) + count(writer, LongHistoriesTest::addSixteen));
      moved.set(1, Math.max(moved.get(1), read(indexType, cache -> cache.latest("key"))));
      moved.set(2, Math.max(moved.get(2), read(indexType, cache -> cache.get("key", 123L))));
      moved.set(
          3, Math.max(moved.get(3), read(indexType, cache -> cache.getRange("key", 500L, 600L))));
      moved.set(
          4,
          Math.max(
              moved.get(4),
              read(indexType, cache -> cache.versions("key", 200L, null, 100, false))));
    }
    return moved;
  }

  private static void addSixteen(VersionedCache<String, String, Long> cache) {
    for (int i = 0; i < 16; i++) {
      cache.add("key", "a value");
    }
    cache.settle("key");
  }

  private long read(IndexType indexType, Consumer<VersionedCache<String, String, Long>> operation) {
    return count(process(indexType), operation);
  }

  private long count(
      VersionedCache<String, String, Long> cache,
      Consumer<VersionedCache<String, String, Long>> operation) {
    long before = bytes.get();
    operation.accept(cache);
    return bytes.get() - before;
  }

  private static void fill(VersionedCache<String, String, Long> cache, long from, long to) {
    for (long first = from; first < to; first += 1_000) {
      cache.addAll(
          "key",
          LongStream.range(first, Math.min(to, first + 1_000))
              .mapToObj(v -> new Versioned<>(v, Optional.of("value " + v)))
              .toList());
      cache.settle("key");
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {"BASELINE", "TREE"},
      mode = EnumSource.Mode.EXCLUDE)
  void bytesGrowLessThanVersions(IndexType indexType) {
    compare(indexType, SOME, MANY);
  }

  @ParameterizedTest
  @EnumSource(names = "BASELINE", mode = EnumSource.Mode.EXCLUDE)
  @Tag("nightly")
  void bytesGrowLessThanAHundredThousandVersions(IndexType indexType) {
    limits = type -> HistoryLimits.of(type, 1_000);
    compare(indexType, 10 * SOME, 10 * MANY);
  }

  private void compare(IndexType indexType, int someVersions, int manyVersions) {
    VersionedCache<String, String, Long> writer = process(indexType);
    fill(writer, 1, someVersions);
    List<Long> some = measure(indexType, writer);
    long last = writer.latest("key").orElseThrow().version();
    fill(writer, last + 1, manyVersions);
    List<Long> many = measure(indexType, writer);

    for (int i = 0; i < some.size(); i++) {
      assertThat((double) many.get(i))
          .as("operation %s of %s: %s and %s bytes", i, indexType, some, many)
          .isLessThan(TIMES * some.get(i));
    }
    assertThat(writer.get("key", 777L)).contains("value 777");
    assertThat(writer.versions("key", null, null, 2 * manyVersions, false))
        .hasSizeGreaterThanOrEqualTo(manyVersions - 1);
  }

  @Test
  void aBaselineKeyThatIsFullRefusesFurtherVersions() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);
    String value = "x".repeat(100_000);
    for (int i = 0; i < 9; i++) {
      cache.add("key", value);
    }

    assertThatThrownBy(() -> cache.add("key", value))
        .isInstanceOf(VersioningException.KeyFull.class)
        .hasMessageContaining("960 KiB")
        .hasMessageContaining("key=key");
    assertThatThrownBy(() -> cache.put("key", value, 50L))
        .isInstanceOf(VersioningException.KeyFull.class);
    assertThatThrownBy(() -> cache.addAll("key", List.of(new Versioned<>(60L, Optional.of(value)))))
        .isInstanceOf(VersioningException.KeyFull.class);
    assertThatThrownBy(() -> cache.merge("key", value, (a, b) -> a))
        .isInstanceOf(VersioningException.KeyFull.class);

    assertThat(cache.versions("key", null, null, 99, false)).hasSize(9);
    cache.compact("key", 5L);
    assertThat(cache.add("key", value)).isEqualTo(10L);
  }

  @Test
  void aBaselineKeyWithManySmallVersionsIsFullToo() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);

    assertThatThrownBy(() -> fill(cache, 1, 10 * MANY))
        .isInstanceOf(VersioningException.KeyFull.class);
    assertThat(cache.versions("key", null, null, 10 * MANY, false))
        .hasSizeGreaterThan(MANY)
        .hasSizeLessThan(4 * MANY);
  }

  @Test
  void aRetentionThatWasShortenedMakesRoom() {
    VersionedCache<String, String, Long> cache = process(IndexType.BASELINE);
    for (int i = 0; i < 9; i++) {
      cache.add("key", "x".repeat(100_000));
    }

    cache.changeRetention(Retention.versions(3));

    assertThat(cache.add("key", "x".repeat(100_000))).isEqualTo(10L);
    assertThat(cache.versions("key", null, null, 99, false)).hasSize(3);
  }
}
