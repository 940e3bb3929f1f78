package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.MuteStore;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.drive.Keys;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.drive.Keyed;
import io.ensemble.versioning.history.History;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.HistoryCodec;
import io.ensemble.versioning.history.Work;
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

/** What is moved out of histories where that fails, and where histories end. */
@Timeout(90)
class TendingTest {

  /** How long requests are repeated that fail; tests wait for that to end. */
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final Duration LONG = Duration.ofSeconds(20);

  /** Where some requests are to fail and others are not. */
  private static final Duration NEITHER = Duration.ofSeconds(2);

  private final Caches caches = new Caches(1);
  private final AtomicObjectFactory factory =
      AtomicObjectFactory.builder(caches.store)
          .timeout(LONG)
          .requestTimeout(Duration.ofMillis(100))
          .build();
  private final Names<String> names = new Names<>(Caches.NAME, Form.TEXT);

  @AfterEach
  void close() {
    factory.close();
    caches.close();
  }

  private VersionedCache<String, String, Long> cache(Index index) {
    return cache(index, LONG);
  }

  /** One whose requests are given up soon: for what is to fail. */
  private VersionedCache<String, String, Long> hasty(Index index) {
    return cache(index, SHORT);
  }

  private VersionedCache<String, String, Long> cache(Index index, Duration patience) {
    Timestamps space = new Timestamps(() -> 0);
    Cuts<Long> cuts = new Cuts<>(factory, names.record(), space, "");
    return new VersionedCache<>(
        new AsyncVersionedCache<>(
            keyed(space, index, patience), space, names, Form.TEXT, cuts, false),
        false);
  }

  private Keyed<Long> keyed(Timestamps space, Index index, Duration patience) {
    Cuts<Long> cuts = new Cuts<>(factory, names.record(), space, "");
    return new Keyed<>(
        factory, space, Caches.small(index), cuts::highest, true, 2, 2_000, patience);
  }

  @Test
  void whatWasCompactedIsSoThoughNothingCanBeMoved() {
    VersionedCache<String, String, Long> cache = hasty(Index.TREE);
    caches.store.full(key -> key.startsWith("part/"));
    for (int i = 0; i < 6; i++) {
      cache.add("key", "value " + i);
    }

    cache.compact("key", 2L);

    assertThat(cache.versions("key", null, null, 1, false)).containsExactly(2L);
    assertThatThrownBy(() -> cache.settle("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
  }

  /** Its entries are asked for as long as the histories. */
  @Test
  void aCacheIsAsPatientAsItsFactory() {
    assertThat(
            VersionedCache.builder(
                    factory, Caches.NAME, Form.TEXT, Form.TEXT, new Timestamps(() -> 0))
                .timeout)
        .isEqualTo(LONG);
  }

  @Test
  void aPurgeRemovesAllParts() {
    VersionedCache<String, String, Long> cache = cache(Index.SHARDED);
    cache.addAll("key", numbered(1, 2000));

    cache.purge("key");

    assertThat(caches.parts()).isZero();
  }

  /** What is lost is for the store to bring back, and not to be asked for without end. */
  @Test
  void aShardThatIsLostEndsTheTask() {
    VersionedCache<String, String, Long> cache = cache(Index.SHARDED);
    cache.addAll("key", numbered(11, 50));
    cache.settle("key");
    caches.store.entries().keySet().stream()
        .filter(k -> k.startsWith("part/"))
        .forEach(k -> caches.store.remove(k).toCompletableFuture().join());
    cache = caches.process(new Timestamps(() -> 0), Caches.small(Index.SHARDED));
    for (long version = 1; version < 8; version++) {
      cache.put("key", "late", version);
    }

    VersionedCache<String, String, Long> other = cache;
    assertThatThrownBy(() -> other.settle("key"))
        .isInstanceOf(VersioningException.TooManyChanges.class);
  }

  /** As a caretaker does that has slept since the key's former history was disposed of. */
  @Test
  void whatWasDoneForAFormerHistoryIsNoneOfThePresentOnes() {
    VersionedCache<String, String, Long> cache = cache(Index.TREE, NEITHER);
    caches.store.full(key -> key.startsWith("part/")); // So that plans stand.
    cache.addAll("key", numbered(1, 20));
    HistoryCalls history = history();
    Work late = history.work();
    assertThat(late.packs()).isNotEmpty();
    factory.dispose(names.of("key"));
    caches.patience = NEITHER;
    VersionedCache<String, String, Long> other =
        caches.process(new Timestamps(() -> 0), Caches.small(Index.TREE));
    other.addAll("key", numbered(101, 120));
    HistoryCalls present = history();
    long plan = present.work().plan();
    assertThat(plan).isEqualTo(late.plan());

    present.done(late.id(), late.plan(), List.of(), List.of(late.plan()));
    present.swept(late.id(), present.work().garbage());

    assertThat(present.work().plan()).isEqualTo(plan);
    caches.store.full(key -> false);
    other.settle("key");
    assertThat(other.getRange("key", 101L, 120L)).containsExactlyElementsOf(numbered(101, 120));
  }

  /** As a store may that shows a step at one node, which dies before another has it. */
  @Test
  void nothingIsRemovedForAStepThatWasShownAndLost() {
    VersionedCache<String, String, Long> cache = cache(Index.SHARDED);
    cache.addAll("key", numbered(1, 100));
    cache.settle("key");
    String root = Keys.root(names.of("key"));
    ObjectStore.Entry before = caches.store.entries().get(root);
    caches.store.keep(key -> key.startsWith("part/")); // So that all of them are to be removed.
    assertThatThrownBy(() -> hasty(Index.SHARDED).purge("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
    ObjectStore.Entry lost = caches.store.entries().get(root);
    caches.store.put(root, before.value()).toCompletableFuture().join();
    caches.store.keep(key -> false);
    AtomicBoolean shown = new AtomicBoolean();
    caches.view =
        store ->
            new MuteStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                return key.equals(root) && shown.compareAndSet(false, true)
                    ? CompletableFuture.completedFuture(Optional.of(lost))
                    : super.read(key);
              }
            };

    caches.process(new Timestamps(() -> 0), Caches.small(Index.SHARDED)).settle("key");

    assertThat(shown).isTrue();
    caches.view = store -> store;
    assertThat(
            caches
                .process(new Timestamps(() -> 0), Caches.small(Index.SHARDED))
                .getRange("key", 1L, 100L))
        .containsExactlyElementsOf(numbered(1, 100));
  }

  private HistoryCalls history() {
    Timestamps space = new Timestamps(() -> 0);
    return factory.open(
        names.of("key"),
        ObjectType.of(HistoryCalls.class, () -> new History<>(space, Caches.small(Index.TREE), ""))
            .codec(new HistoryCodec<>(space, Caches.small(Index.TREE)))
            .named("ensemble.history"));
  }

  @Test
  void aPurgeThatLeavesBytesSaysSo() {
    VersionedCache<String, String, Long> cache = cache(Index.SHARDED);
    cache.addAll("key", numbered(1, 200));
    cache.settle("key");
    caches.store.keep(key -> key.startsWith("part/"));

    assertThatThrownBy(() -> hasty(Index.SHARDED).purge("key"))
        .isInstanceOf(VersioningException.StoreUnavailable.class);
    assertThat(caches.parts()).isPositive();
    caches.store.keep(key -> false);
    cache.purge("key");

    assertThat(caches.parts()).isZero();
  }

  @Test
  void aSweepMakesNoKeyAnew() {
    VersionedCache<String, String, Long> cache = cache(Index.TREE);
    cache.add("key", "before");
    factory.dispose(names.of("key"));

    cache.sweep();

    assertThat(factory.exists(names.of("key"))).isFalse();
  }

  @Test
  void aTaskThatCannotBeginIsNotWaitedFor() {
    Keyed<Long> keyed = keyed(new Timestamps(), Index.TREE, SHORT);
    String name = "n".repeat(2000);

    for (int i = 0; i < 2; i++) {
      assertThat(keyed.tend(name).toCompletableFuture())
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aHistoryThatIsNoMoreIsMadeAnew() {
    VersionedCache<String, String, Long> cache = cache(Index.TREE);
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
