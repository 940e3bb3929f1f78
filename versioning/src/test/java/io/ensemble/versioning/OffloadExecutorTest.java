package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.drive.HistoryStore;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.OffloadTask;
import io.ensemble.versioning.history.VersionHistory;
import io.ensemble.versioning.history.VersionHistoryCodec;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures to move entries out of histories, and histories that end meanwhile. */
@Timeout(90)
class OffloadExecutorTest {

  /** How long failing requests are retried, where a test waits for their failure. */
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final Duration LONG = Duration.ofSeconds(20);

  /** For tests in which some requests fail and others succeed. */
  private static final Duration NEITHER = Duration.ofSeconds(2);

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);
  private final AtomicObjectFactory factory =
      AtomicObjectFactory.builder(versionedCacheFixture.store)
          .timeout(LONG)
          .requestTimeout(Duration.ofMillis(100))
          .build();
  private final HistoryNames<String> names =
      new HistoryNames<>(VersionedCacheFixture.NAME, BinaryCodec.TEXT);

  @AfterEach
  void close() {
    factory.close();
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> cache(IndexType indexType) {
    return cache(indexType, LONG);
  }

  /** A cache that retries for a short time only, for requests that fail. */
  private VersionedCache<String, String, Long> hasty(IndexType indexType) {
    return cache(indexType, SHORT);
  }

  private VersionedCache<String, String, Long> cache(IndexType indexType, Duration patience) {
    Timestamps space = new Timestamps(() -> 0);
    RetentionTracker retentions =
        new RetentionTracker(
            factory, names.record(), VersionedCacheRecord::new, Retention.ALL, System::nanoTime);
    return new VersionedCache<>(
        new AsyncVersionedCache<>(
            historyStore(space, indexType, patience),
            space,
            names,
            BinaryCodec.TEXT,
            snapshots(space),
            retentions,
            false),
        false);
  }

  private SnapshotTracker<Long> snapshots(Timestamps space) {
    return new SnapshotTracker<>(factory, names.record(), space, VersionedCacheRecord::new);
  }

  private HistoryStore<Long> historyStore(
      Timestamps space, IndexType indexType, Duration patience) {
    return new HistoryStore<>(
        factory,
        space,
        VersionedCacheFixture.small(indexType),
        snapshots(space)::highest,
        true,
        2,
        2_000,
        patience);
  }

  @Test
  void whatWasCompactedIsSoThoughNothingCanBeMoved() {
    VersionedCache<String, String, Long> cache = hasty(IndexType.TREE);
    versionedCacheFixture.store.full(key -> key.startsWith("part/"));
    for (int i = 0; i < 6; i++) {
      cache.add("key", "value " + i);
    }

    cache.compact("key", 2L);

    assertThat(cache.versions("key", null, null, 1, false)).containsExactly(2L);
    assertThatThrownBy(() -> cache.settle("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
  }

  /** Requests for entries have the timeout of requests for histories. */
  @Test
  void aCacheIsAsPatientAsItsFactory() {
    assertThat(
            VersionedCache.builder(
                    factory,
                    VersionedCacheFixture.NAME,
                    BinaryCodec.TEXT,
                    BinaryCodec.TEXT,
                    new Timestamps(() -> 0))
                .timeout)
        .isEqualTo(LONG);
  }

  @Test
  void aPurgeRemovesAllParts() {
    VersionedCache<String, String, Long> cache = cache(IndexType.SHARDED);
    cache.addAll("key", numbered(1, 2000));

    cache.purge("key");

    assertThat(versionedCacheFixture.parts()).isZero();
  }

  /** Only the store can restore a lost entry: the requests for it must end. */
  @Test
  void aShardThatIsLostEndsTheTask() {
    VersionedCache<String, String, Long> cache = cache(IndexType.SHARDED);
    cache.addAll("key", numbered(11, 50));
    cache.settle("key");
    versionedCacheFixture.store.entries().keySet().stream()
        .filter(k -> k.startsWith("part/"))
        .forEach(k -> versionedCacheFixture.store.remove(k).toCompletableFuture().join());
    cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
    for (long version = 1; version < 8; version++) {
      cache.put("key", "late", version);
    }

    VersionedCache<String, String, Long> other = cache;
    assertThatThrownBy(() -> other.settle("key"))
        .isInstanceOf(VersioningException.TooManyChanges.class);
  }

  /** A paused process can report its work after the key's history was disposed of. */
  @Test
  void whatWasDoneForAFormerHistoryIsNoneOfThePresentOnes() {
    VersionedCache<String, String, Long> cache = cache(IndexType.TREE, NEITHER);
    versionedCacheFixture.store.full(key -> key.startsWith("part/")); // Keeps plans pending.
    cache.addAll("key", numbered(1, 20));
    HistoryCalls history = history();
    OffloadTask late = history.work();
    assertThat(late.packs()).isNotEmpty();
    factory.dispose(names.of("key"));
    versionedCacheFixture.patience = NEITHER;
    VersionedCache<String, String, Long> other =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.TREE));
    other.addAll("key", numbered(101, 120));
    HistoryCalls present = history();
    long plan = present.work().plan();
    assertThat(plan).isEqualTo(late.plan());

    present.done(late.id(), late.plan(), List.of(), List.of(late.plan()));
    present.swept(late.id(), present.work().garbage());

    assertThat(present.work().plan()).isEqualTo(plan);
    versionedCacheFixture.store.full(key -> false);
    other.settle("key");
    assertThat(other.getRange("key", 101L, 120L)).containsExactlyElementsOf(numbered(101, 120));
  }

  /** A store can show a step like this at one node that dies before another node has it. */
  @Test
  void nothingIsRemovedForAStepThatWasShownAndLost() {
    VersionedCache<String, String, Long> cache = cache(IndexType.SHARDED);
    cache.addAll("key", numbered(1, 100));
    cache.settle("key");
    String root = ObjectKeys.root(names.of("key"));
    ObjectStore.Entry before = versionedCacheFixture.store.entries().get(root);
    versionedCacheFixture.store.keep(
        key -> key.startsWith("part/")); // Keeps all parts in the list of removals.
    assertThatThrownBy(() -> hasty(IndexType.SHARDED).purge("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
    ObjectStore.Entry lost = versionedCacheFixture.store.entries().get(root);
    versionedCacheFixture.store.put(root, before.value()).toCompletableFuture().join();
    versionedCacheFixture.store.keep(key -> false);
    AtomicBoolean shown = new AtomicBoolean();
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                return key.equals(root) && shown.compareAndSet(false, true)
                    ? CompletableFuture.completedFuture(Optional.of(lost))
                    : super.read(key);
              }
            };

    versionedCacheFixture
        .process(new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED))
        .settle("key");

    assertThat(shown).isTrue();
    versionedCacheFixture.view = store -> store;
    assertThat(
            versionedCacheFixture
                .process(new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED))
                .getRange("key", 1L, 100L))
        .containsExactlyElementsOf(numbered(1, 100));
  }

  private HistoryCalls history() {
    Timestamps space = new Timestamps(() -> 0);
    return factory.open(
        names.of("key"),
        ObjectType.of(
                HistoryCalls.class,
                () -> new VersionHistory<>(space, VersionedCacheFixture.small(IndexType.TREE), ""))
            .codec(new VersionHistoryCodec<>(space, VersionedCacheFixture.small(IndexType.TREE)))
            .named("ensemble.history"));
  }

  @Test
  void aPurgeThatLeavesBytesSaysSo() {
    VersionedCache<String, String, Long> cache = cache(IndexType.SHARDED);
    cache.addAll("key", numbered(1, 200));
    cache.settle("key");
    versionedCacheFixture.store.keep(key -> key.startsWith("part/"));

    assertThatThrownBy(() -> hasty(IndexType.SHARDED).purge("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
    assertThat(versionedCacheFixture.parts()).isPositive();
    versionedCacheFixture.store.keep(key -> false);
    cache.purge("key");

    assertThat(versionedCacheFixture.parts()).isZero();
  }

  @Test
  void aSweepMakesNoKeyAnew() {
    VersionedCache<String, String, Long> cache = cache(IndexType.TREE);
    cache.add("key", "before");
    factory.dispose(names.of("key"));

    cache.sweep();

    assertThat(factory.exists(names.of("key"))).isFalse();
  }

  @Test
  void aTaskThatCannotBeginIsNotWaitedFor() {
    HistoryStore<Long> historyStore = historyStore(new Timestamps(), IndexType.TREE, SHORT);
    String name = "n".repeat(2000);

    for (int i = 0; i < 2; i++) {
      assertThat(historyStore.offload(name).toCompletableFuture())
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aHistoryThatIsNoMoreIsMadeAnew() {
    VersionedCache<String, String, Long> cache = cache(IndexType.TREE);
    cache.add("key", "before");
    factory.dispose(names.of("key"));

    assertThatThrownBy(() -> cache.add("key", "lost"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    cache.add("key", "after");

    assertThat(cache.latest("key").orElseThrow().value()).contains("after");
  }

  private static List<Versioned<Long, String>> numbered(long from, long to) {
    return LongStream.rangeClosed(from, to)
        .mapToObj(version -> new Versioned<>(version, Optional.of("value " + version)))
        .toList();
  }
}
