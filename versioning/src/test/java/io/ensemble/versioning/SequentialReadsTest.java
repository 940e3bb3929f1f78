package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads that may be slightly old. */
class SequentialReadsTest {

  private final MemoryStore memory = new MemoryStore(1);
  private final AtomicInteger read = new AtomicInteger();
  private final ObjectStore store =
      new UnresponsiveStore(memory) {
        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
          read.incrementAndGet();
          return super.read(key);
        }
      };
  private final AtomicObjectFactory factory = AtomicObjectFactory.on(store);
  private final AtomicObjectFactory elsewhere = AtomicObjectFactory.on(memory);

  @AfterEach
  void close() {
    factory.close();
    elsewhere.close();
    memory.close();
  }

  private static VersionedCache<String, String, Long> cache(AtomicObjectFactory factory) {
    return VersionedCache.builder(
            factory, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
        .open();
  }

  @Test
  void theyCostNothingWhileNothingChanges() {
    VersionedCache<String, String, Long> cache = cache(factory);
    cache.add("home", "a");
    VersionedReads<String, String, Long> reads = cache.sequential();
    reads.latest("home");
    int before = read.get();

    for (int i = 0; i < 20; i++) {
      assertThat(reads.latest("home").orElseThrow().value()).contains("a");
    }

    assertThat(read.get() - before).isLessThan(10); // Up-to-date reads cost 20.
  }

  @Test
  void theyHoldOnesOwnVersionsAndNeverGoBack() throws Exception {
    VersionedCache<String, String, Long> cache = cache(factory);
    VersionedCache<String, String, Long> other = cache(elsewhere);
    VersionedReads<String, String, Long> reads = cache.sequential();
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              while (!stop.get()) {
                other.add("home", "theirs");
              }
            });
    writer.start();

    long last = 0;
    for (int i = 0; i < 300; i++) {
      if (i % 10 == 0) {
        last = Math.max(last, cache.add("home", "ours"));
      }
      long seen = reads.latest("home").orElseThrow().version();
      assertThat(seen).isGreaterThanOrEqualTo(last);
      last = seen;
    }
    stop.set(true);
    writer.join();
  }

  @Test
  void ofAKeyWithoutVersionsThereIsNothing() {
    VersionedReads<String, String, Long> reads = cache(factory).sequential();

    assertThat(reads.latest("nowhere")).isEmpty();
    cache(elsewhere).add("nowhere", "x");
    assertThat(reads.latest("nowhere")).isPresent();
  }

  /** A store without events. */
  private static ObjectStore silent(ObjectStore store) {
    return new UnresponsiveStore(store) {
      @Override
      public Optional<AutoCloseable> watch(Consumer<Change> listener) {
        return Optional.empty();
      }
    };
  }

  @Test
  void theyDoNotGoBackBehindReadsOfNow() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      versionedCacheFixture.view = SequentialReadsTest::silent;
      VersionedCache<String, String, Long> here =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
      VersionedCache<String, String, Long> there =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
      there.add("home", "1");
      VersionedReads<String, String, Long> reads = here.sequential();
      assertThat(reads.latest("home").orElseThrow().version()).isEqualTo(1L);
      there.add("home", "2");

      assertThat(here.latest("home").orElseThrow().version()).isEqualTo(2L);
      assertThat(reads.latest("home").orElseThrow().version()).isEqualTo(2L);
    }
  }

  @Test
  void whatIsGoneIsLookedForAsOfNow() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      versionedCacheFixture.view = SequentialReadsTest::silent;
      VersionedCache<String, String, Long> here =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
      VersionedCache<String, String, Long> there =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
      for (int i = 1; i <= 30; i++) {
        there.add("home", "value " + i);
      }
      there.settle("home");
      VersionedReads<String, String, Long> reads = here.sequential();
      assertThat(reads.latest("home").orElseThrow().version()).isEqualTo(30L);

      there.compact("home", 30L);
      there.settle("home");

      assertThat(reads.getPredecessor("home", 5L)).isEmpty();
    }
  }
}
