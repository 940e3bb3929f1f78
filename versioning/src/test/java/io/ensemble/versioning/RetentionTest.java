package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionVectors;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetentionTest {

  private static final int SHARD_SIZE = 4;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(5);
  private final AtomicLong clock = new AtomicLong(1_000_000);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, HybridTime> cache(
      IndexType indexType, Retention retention) {
    versionedCacheFixture.retention = retention;
    return versionedCacheFixture.process(
        new HybridTimes(clock::get),
        new HistoryLimits(indexType, SHARD_SIZE, SHARD_SIZE + 1, 64, 2, 48, 3));
  }

  private static List<HybridTime> left(VersionedCache<String, String, HybridTime> cache) {
    return cache.versions("key", null, null, Integer.MAX_VALUE, false);
  }

  @ParameterizedTest
  @EnumSource
  void soManyOfTheLastStay(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = cache(indexType, Retention.versions(10));

    for (int i = 1; i <= 50; i++) {
      cache.add("key", "value " + i);

      assertThat(left(cache)).hasSizeBetween(Math.min(i, 10), 10 + 2 * SHARD_SIZE);
    }
    if (indexType == IndexType.BASELINE) {
      assertThat(left(cache)).hasSize(10);
    }
    assertThat(cache.latest("key").orElseThrow().value()).contains("value 50");
    HybridTime first = left(cache).get(0);
    assertThat(cache.getSuccessor("key", first).orElseThrow().value()).isPresent();
    assertThat(cache.getPredecessor("key", first)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void entriesOfWhatGoesAreRemoved(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache = cache(indexType, Retention.versions(6));
    for (int i = 1; i <= 200; i++) {
      cache.add("key", "value " + i);
    }

    cache.settle("key");

    assertThat(versionedCacheFixture.parts()).isLessThan(12);
  }

  @ParameterizedTest
  @EnumSource
  void whatWasReplacedLongAgoGoes(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache =
        cache(indexType, Retention.age(Duration.ofSeconds(10)));
    for (int i = 1; i <= 40; i++) {
      clock.addAndGet(1_000);
      cache.add("key", "value " + i);
    }

    List<HybridTime> left = left(cache);

    assertThat(left.size()).isBetween(11, 11 + 2 * SHARD_SIZE);
    // The value of ten seconds ago is still present.
    HybridTime then = new HybridTime(clock.get() - 10_000, 0);
    assertThat(cache.asOf("key", then).orElseThrow().value()).contains("value 30");
    assertThatThrownBy(() -> cache.asOf("key", new HybridTime(clock.get() - 30_000, 0)))
        .isInstanceOf(VersioningException.VersionCompacted.class);
  }

  @Test
  void whatIsNotOldEnoughStaysThoughThereAreMany() {
    VersionedCache<String, String, HybridTime> cache =
        cache(IndexType.BASELINE, Retention.versions(2).atLeast(Duration.ofSeconds(10)));
    for (int i = 1; i <= 20; i++) {
      clock.addAndGet(1_000);
      cache.add("key", "value " + i);
    }

    assertThat(left(cache)).hasSize(11);
  }

  @Test
  void aKeyThatNobodyWritesIsSwept() {
    VersionedCache<String, String, HybridTime> cache =
        cache(IndexType.TREE, Retention.age(Duration.ofSeconds(10)));
    for (int i = 1; i <= 5; i++) {
      cache.add("key", "value " + i);
    }
    clock.addAndGet(60_000);

    assertThat(left(cache)).hasSize(5);
    assertThat(cache.sweep()).isOne();

    assertThat(left(cache)).hasSize(1);
    assertThat(cache.get("key")).isEqualTo("value 5");
  }

  @Test
  void aKeyMayHaveItsOwn() {
    VersionedCache<String, String, HybridTime> cache = cache(IndexType.TREE, Retention.versions(3));
    cache.retain("key", Retention.ALL);
    for (int i = 1; i <= 9; i++) {
      cache.add("key", "value " + i);
      cache.add("other", "value " + i);
    }

    assertThat(left(cache)).hasSize(9);
    assertThat(cache.versions("other", null, null, 99, false)).hasSize(3);
    cache.retain("key", Retention.versions(2));
    assertThat(left(cache)).hasSize(2);
    cache.retain("key", null);
    cache.add("key", "x");
    cache.add("key", "y");
    assertThat(left(cache)).hasSize(3);
  }

  @Test
  void soManyStayThoughSomeCameLate() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
    for (long version = 10; version <= 200; version += 10) {
      cache.put("key", "value " + version, version);
    }
    cache.settle("key");
    cache.put("key", "late", 45L); // Between two shards.
    cache.put("key", "late", 85L);
    cache.settle("key");

    for (int most = 22; most >= 1; most--) {
      cache.retain("key", Retention.versions(most));

      assertThat(cache.versions("key", null, null, 99, false)).hasSizeGreaterThanOrEqualTo(most);
    }
  }

  @Test
  void aTimeFarAheadThatWasMetMakesNothingOld() {
    VersionedCache<String, String, HybridTime> cache =
        cache(IndexType.TREE, Retention.age(Duration.ofSeconds(10)));
    cache.add("key", "1");
    cache.add("key", "2");
    cache.asOf("other", new HybridTime(1_050_000, 0));

    assertThat(cache.add("key", "3").millis()).isEqualTo(1_050_000);
    assertThat(cache.sweep()).isEqualTo(2);

    assertThat(left(cache)).hasSize(3);
  }

  @Test
  void versionsThatDoNotSayWhenAreNotRetainedByAge() {
    VersionedCache<String, String, ?> cache =
        versionedCacheFixture.process(
            new VersionVectors("here"), VersionedCacheFixture.small(IndexType.AUTO));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.retain("key", Retention.age(Duration.ofDays(1))));
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  VersionedCache.builder(
                          factory,
                          "x",
                          BinaryCodec.TEXT,
                          BinaryCodec.TEXT,
                          new VersionVectors("here"))
                      .retention(Retention.age(Duration.ofDays(1)))
                      .open());
    }
  }

  @Test
  void numbersBelowOneAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Retention.versions(0));
    assertThatIllegalArgumentException().isThrownBy(() -> Retention.age(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retention.age(Duration.ofSeconds(Long.MAX_VALUE)));
    assertThatIllegalArgumentException().isThrownBy(() -> new Retention(-1, 0, 0));
  }

  private VersionedCache<String, String, Long> opened(
      AtomicObjectFactory factory, Retention retention) {
    return VersionedCache.builder(
            factory, "y", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
        .retention(retention)
        .open();
  }

  @Test
  void anOpenCacheKeepsItsRetention() {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      opened(factory, Retention.versions(3));

      VersionedCache<String, String, Long> other = opened(factory, Retention.versions(9));
      for (int i = 1; i <= 9; i++) {
        other.add("key", "value " + i);
      }

      assertThat(other.retention()).isEqualTo(Retention.versions(3));
      assertThat(other.versions("key", null, null, 99, false)).hasSize(3);
    }
  }

  @Test
  void aChangedRetentionIsUsedByThisProcessImmediately() {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      VersionedCache<String, String, Long> cache = opened(factory, Retention.ALL);
      for (int i = 1; i <= 9; i++) {
        cache.add("key", "value " + i);
      }

      cache.changeRetention(Retention.versions(2));

      assertThat(cache.retention()).isEqualTo(Retention.versions(2));
      assertThat(cache.versions("key", null, null, 99, false)).hasSize(9);
      cache.add("key", "value 10");
      assertThat(cache.versions("key", null, null, 99, false)).hasSize(2);
      cache.changeRetention(Retention.ALL);
      cache.add("key", "value 11");
      assertThat(cache.versions("key", null, null, 99, false)).hasSize(3);
      assertThat(opened(factory, Retention.ALL).retention()).isEqualTo(Retention.ALL);
    }
  }

  @Test
  void otherProcessesUseAChangedRetentionAfterTenSeconds() {
    AtomicLong nanos = new AtomicLong();
    versionedCacheFixture.nanoTime = nanos::get;
    VersionedCache<String, String, HybridTime> one = cache(IndexType.TREE, Retention.ALL);
    VersionedCache<String, String, HybridTime> other = cache(IndexType.TREE, Retention.ALL);
    for (int i = 1; i <= 9; i++) {
      other.add("key", "value " + i);
    }
    one.changeRetention(Retention.versions(2));

    nanos.set(RetentionTracker.MAX_AGE.toNanos() - 1);
    other.add("key", "begins to read the retention");
    nanos.set(RetentionTracker.MAX_AGE.toNanos() * 3);
    other.add("key", "waits for the retention");

    assertThat(left(other)).hasSize(2);
    other.sweep();
    assertThat(other.retention()).isEqualTo(Retention.versions(2));
  }

  /** The factory throws, instead of returning a failed stage. */
  @Test
  void aReadThatCannotBeginIsAFailureOfEachAddition() {
    AtomicLong nanos = new AtomicLong();
    AtomicObjectFactory factory = AtomicObjectFactory.builder(new MemoryStore(1)).build();
    RetentionTracker tracker =
        new RetentionTracker(
            factory, "record", VersionedCacheRecord::new, Retention.ALL, nanos::get);
    factory.close();
    nanos.set(RetentionTracker.MAX_AGE.toNanos());

    for (int addition = 0; addition < 3; addition++) {
      assertThat(tracker.current().toCompletableFuture()).isCompletedExceptionally();
    }
  }

  @Test
  void anAdditionIsRefusedIfTheRetentionCannotBeKnown() {
    AtomicLong nanos = new AtomicLong();
    AtomicBoolean silent = new AtomicBoolean();
    versionedCacheFixture.nanoTime = nanos::get;
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                return silent.get() && key.contains("versioned/")
                    ? CompletableFuture.failedFuture(new IOException("as a test requires it"))
                    : super.read(key);
              }
            };
    versionedCacheFixture.timeout = Duration.ofSeconds(1);
    VersionedCache<String, String, HybridTime> cache = cache(IndexType.TREE, Retention.ALL);
    cache.add("key", "value 1");
    silent.set(true);

    nanos.set(RetentionTracker.REFRESH.toNanos());
    cache.add("key", "value 2"); // The read is in the background.
    nanos.set(RetentionTracker.MAX_AGE.toNanos());

    assertThatThrownBy(() -> cache.add("key", "value 3")).isInstanceOf(AtomicObjectException.class);
    silent.set(false);
    cache.add("key", "value 4");
    assertThat(left(cache)).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void aRetentionThatRemovedNothingHidesNothing(IndexType indexType) {
    VersionedCache<String, String, HybridTime> cache =
        cache(indexType, Retention.age(Duration.ofSeconds(10)));
    cache.add("key", "first");
    clock.addAndGet(60_000);
    cache.add("key", "second");

    HybridTime before = new HybridTime(999_999, 0);
    assertThat(cache.getAtOrBelow("key", before)).isEqualTo(new AsOfResult.Absent<>());
    assertThatThrownBy(() -> cache.get("key", before))
        .isInstanceOf(VersioningException.UnknownVersion.class);
    assertThat(cache.asOf("key", before)).isEmpty();
  }
}
