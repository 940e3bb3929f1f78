package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class HistoryPrefetchTest {

  private static final long SOON_MILLIS = 10_000;

  /** The limit of {@code VersionReader}. */
  private static final int MOST_AHEAD = 16;

  private final AtomicReference<CompletableFuture<Void>> looks =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  /** Delays reads of histories until {@code looks} completes; a read of a part completes it. */
  private VersionedCache<String, String, Long> reader(VersionedCacheFixture versionedCacheFixture) {
    versionedCacheFixture.keptBytes = 20_000;
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                if (key.startsWith("part/")) {
                  boolean unused = looks.get().complete(null);
                }
                CompletionStage<Void> may =
                    key.startsWith("part/") ? CompletableFuture.completedFuture(null) : looks.get();
                return may.thenApply(yes -> super.read(key)).thenCompose(Function.identity());
              }
            };
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
  }

  private static VersionedCache<String, String, Long> written(
      VersionedCacheFixture versionedCacheFixture) {
    VersionedCache<String, String, Long> writer =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
    for (int i = 1; i <= 30; i++) {
      writer.add("key", "value " + i);
    }
    writer.settle("key");
    return writer;
  }

  @Test
  void whatAnEarlierLookNamedIsAskedForBesideTheNextLook() throws Exception {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> unused = written(versionedCacheFixture);
      VersionedCache<String, String, Long> reader = reader(versionedCacheFixture);
      assertThat(reader.latest("key").orElseThrow().version()).isEqualTo(30);

      looks.set(new CompletableFuture<>());
      Optional<String> read =
          reader
              .async()
              .get("key", 3L)
              .toCompletableFuture()
              .get(SOON_MILLIS, TimeUnit.MILLISECONDS);

      assertThat(read).contains("value 3");
    }
  }

  @Test
  void whatIsAskedForAheadDecidesNothing() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> writer = written(versionedCacheFixture);
      VersionedCache<String, String, Long> reader = reader(versionedCacheFixture);
      assertThat(reader.get("key", 3L)).contains("value 3");

      writer.compact("key", 20L);
      writer.settle("key");
      writer.add("key", "value 31");

      assertThat(reader.get("key", 20L)).contains("value 20");
      assertThat(reader.getRange("key", 1L, 40L)).hasSize(12);
      assertThat(reader.latest("key").orElseThrow().value()).contains("value 31");
    }
  }

  @Test
  void aKeyThatHasNotChangedIsAnsweredFromWhatWasSeenOfItAndNoLonger() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> writer = written(versionedCacheFixture);
      VersionedCache<String, String, Long> reader = reader(versionedCacheFixture);

      for (int i = 31; i < 60; i++) {
        writer.add("key", "value " + i);

        assertThat(reader.latest("key").orElseThrow().value()).contains("value " + i);
        assertThat(reader.latest("key").orElseThrow().value()).contains("value " + i);
      }
      writer.purge("key");

      assertThat(reader.latest("key")).isEmpty();
    }
  }

  /** Delays reads of histories until {@code looks} completes; runs {@code onPart} for parts. */
  private VersionedCache<String, String, Long> reader(
      VersionedCacheFixture versionedCacheFixture, Runnable onPart) {
    versionedCacheFixture.keptBytes = 20_000;
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                if (key.startsWith("part/")) {
                  onPart.run();
                  return super.read(key);
                }
                return looks.get().thenCompose(yes -> super.read(key));
              }
            };
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
  }

  @Test
  void whoAsksDoesNotReadAheadItself() throws Exception {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> unused = written(versionedCacheFixture);
      Queue<Thread> readers = new ConcurrentLinkedQueue<>();
      VersionedCache<String, String, Long> reader =
          reader(
              versionedCacheFixture,
              () -> {
                readers.add(Thread.currentThread());
                boolean unusedToo = looks.get().complete(null);
              });
      assertThat(reader.latest("key").orElseThrow().version()).isEqualTo(30);

      looks.set(new CompletableFuture<>());
      Optional<String> read =
          reader
              .async()
              .get("key", 3L)
              .toCompletableFuture()
              .get(SOON_MILLIS, TimeUnit.MILLISECONDS);

      assertThat(read).contains("value 3");
      assertThat(readers.element()).isNotSameAs(Thread.currentThread());
    }
  }

  @Test
  void noMoreThanAFewEntriesAreAskedForAhead() throws Exception {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> writer = written(versionedCacheFixture);
      for (int i = 31; i <= 50; i++) {
        writer.add("key", "x".repeat(400) + i);
      }
      writer.add("key", "last");
      writer.settle("key");
      CountDownLatch many = new CountDownLatch(MOST_AHEAD + 1);
      VersionedCache<String, String, Long> reader = reader(versionedCacheFixture, many::countDown);
      assertThat(reader.latest("key").orElseThrow().version()).isEqualTo(51);

      looks.set(new CompletableFuture<>());
      CompletionStage<List<Versioned<Long, String>>> read = reader.async().getRange("key", 1L, 50L);

      await("entries are asked for").atMost(60, SECONDS).until(() -> many.getCount() < MOST_AHEAD);
      await("no more of them")
          .during(300, MILLISECONDS)
          .atMost(60, SECONDS)
          .until(() -> many.getCount() > 0);
      looks.get().complete(null);
      assertThat(read.toCompletableFuture().get(SOON_MILLIS, TimeUnit.MILLISECONDS)).hasSize(50);
    }
  }

  /** A codec that decrypts in place changes the bytes. */
  @Test
  void whoChangesTheBytesOfAValueChangesNothingThatIsKept() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      versionedCacheFixture.process(BinaryCodec.TEXT).add("key", "value");
      VersionedCache<String, String, Long> reader =
          versionedCacheFixture.process(
              new BinaryCodec<>(
                  BinaryCodec.TEXT.write(),
                  bytes -> {
                    String value = BinaryCodec.TEXT.read().apply(bytes);
                    Arrays.fill(bytes, (byte) '?');
                    return value;
                  }));

      assertThat(reader.latest("key").orElseThrow().value()).contains("value");
      assertThat(reader.latest("key").orElseThrow().value()).contains("value");
    }
  }
}
