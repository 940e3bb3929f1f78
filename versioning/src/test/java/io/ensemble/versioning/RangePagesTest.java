package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A long range is read in pages. */
class RangePagesTest {

  private static final int VERSIONS = 100;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(4);

  /** The number of values that were decoded. */
  private final AtomicInteger decoded = new AtomicInteger();

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> filled(IndexType indexType) {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(indexType));
    for (int i = 0; i < VERSIONS; i++) {
      cache.add("key", "value " + i);
    }
    return cache;
  }

  @ParameterizedTest
  @EnumSource
  void pagesAreTheRange(IndexType indexType) {
    VersionedCache<String, String, Long> cache = filled(indexType);

    for (int size : new int[] {1, 7, VERSIONS, 1_000}) {
      List<Versioned<Long, String>> all = new ArrayList<>();
      cache.iterateRange("key", 3L, 97L, size).forEachRemaining(all::add);
      assertThat(all).isEqualTo(cache.getRange("key", 3L, 97L));
    }
  }

  @Test
  void onePageIsHeldAtATime() {
    filled(IndexType.SHARDED);
    VersionedCache<String, String, Long> reader =
        versionedCacheFixture.process(
            new BinaryCodec<>(
                BinaryCodec.TEXT.write(),
                bytes -> {
                  decoded.incrementAndGet();
                  return BinaryCodec.TEXT.read().apply(bytes);
                }));

    Iterator<Versioned<Long, String>> range = reader.iterateRange("key", 1L, 100L, 10);

    assertThat(decoded).hasValue(0);
    range.next();
    assertThat(decoded).hasValue(10);
    for (int i = 0; i < 9; i++) {
      range.next();
    }
    assertThat(decoded).hasValue(10);
    range.next();
    assertThat(decoded).hasValue(20);
  }

  @Test
  void aCursorContinuesInAnotherProcess() {
    VersionedCache<String, String, Long> cache = filled(IndexType.AUTO);
    VersionPage<Long, String> first = cache.getRangePage("key", 1L, 50L, 20, null);
    VersionedCache<String, String, Long> other =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));

    VersionPage<Long, String> second =
        other.getRangePage("key", 1L, 50L, 40, first.cursor().orElseThrow());

    assertThat(first.versions()).hasSize(20);
    assertThat(second.versions()).extracting(Versioned::version).startsWith(21L).endsWith(50L);
    assertThat(second.cursor()).isEmpty();
  }

  @Test
  void aPageThatEndsWithTheRangeIsFollowedByAnEmptyOne() {
    VersionedCache<String, String, Long> cache = filled(IndexType.TREE);

    VersionPage<Long, String> last = cache.getRangePage("key", 91L, 100L, 10, null);

    assertThat(last.cursor()).contains(100L);
    assertThat(cache.getRangePage("key", 91L, 100L, 10, 100L))
        .isEqualTo(new VersionPage<>(List.of(), Optional.empty()));
  }

  @Test
  void laterPagesShowWhatWasAddedAndNotWhatWasCompacted() {
    VersionedCache<String, String, Long> cache = filled(IndexType.SHARDED);
    Iterator<Versioned<Long, String>> range = cache.iterateRange("key", 1L, 200L, 10);
    for (int i = 0; i < 10; i++) {
      range.next();
    }

    cache.compact("key", 50L);
    cache.put("key", "new", 150L);

    List<Long> rest = new ArrayList<>();
    range.forEachRemaining(v -> rest.add(v.version()));
    assertThat(rest).hasSize(52).startsWith(50L, 51L).endsWith(100L, 150L);
  }

  @Test
  void aFailedReadIsRepeatedFromTheSamePosition() {
    AtomicBoolean silent = new AtomicBoolean();
    versionedCacheFixture.timeout = Duration.ofSeconds(1);
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                return silent.get()
                    ? CompletableFuture.failedFuture(new IOException("as a test requires it"))
                    : super.read(key);
              }
            };
    VersionedCache<String, String, Long> cache = filled(IndexType.TREE);
    Iterator<Versioned<Long, String>> range = cache.iterateRange("key", 1L, 100L, 60);
    List<Long> read = new ArrayList<>();
    while (read.size() < 60) {
      read.add(range.next().version());
    }

    silent.set(true);
    assertThatThrownBy(range::hasNext).isInstanceOf(AtomicObjectException.class);
    silent.set(false);
    range.forEachRemaining(v -> read.add(v.version()));

    assertThat(read).hasSize(100).doesNotHaveDuplicates().isSorted();
    assertThatThrownBy(range::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void mistakesAreRefused() {
    VersionedCache<String, String, Long> cache = filled(IndexType.AUTO);
    VersionedCache<String, String, VersionVector> vectors =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.iterateRange("key", 1L, 2L, 0))
        .withMessageContaining("got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.getRangePage("key", 2L, 1L, 5, null));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.getRangePage("key", 1L, 2L, 0, null));
    assertThatThrownBy(
            () ->
                vectors.iterateRange("key", VersionVector.of("here"), VersionVector.of("here"), 5))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
