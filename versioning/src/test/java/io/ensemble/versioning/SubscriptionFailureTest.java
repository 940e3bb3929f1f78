package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.listen.SubscriptionPosition;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Listeners that block, throw or are closed, and stores that are unavailable. */
@Timeout(value = 90, threadMode = ThreadMode.SEPARATE_THREAD)
class SubscriptionFailureTest extends SubscriptionFixture {

  @Test
  void aListenerThatWaitsHoldsUpNobodyElse() throws InterruptedException {
    VersionedCache<String, String, Long> cache = process();
    CountDownLatch under = new CountDownLatch(1);
    CountDownLatch on = new CountDownLatch(1);
    for (int i = 0; i < 10; i++) {
      byEvents(cache)
          .key("a")
          .start(
              version -> {
                under.countDown();
                awaited(on);
              });
    }
    byEvents(cache).key("a").start(ears);

    cache.add("a", "one");
    under.await();
    cache.add("a", "two");

    assertThat(ears.next(2)).containsExactly("a 1=one", "a 2=two");
    on.countDown();
  }

  @Test
  void aListenerMayUseTheCache() {
    VersionedCache<String, String, Long> cache = process();
    byEvents(cache).key("a").start(version -> cache.add("b", "copy of " + version.value().get()));
    byEvents(cache).key("b").start(ears);

    cache.add("a", "one");
    cache.add("a", "two");

    assertThat(ears.next(2)).containsExactly("b 1=copy of one", "b 2=copy of two");
  }

  @Test
  void whoHasBeenToldWritesAboveIt() {
    VersionedCache<String, String, HybridTime> ahead =
        caches.process(
            new HybridTimes(() -> 50_000), VersionedCacheFixture.small(IndexType.SHARDED));
    VersionedCache<String, String, HybridTime> behind =
        caches.process(
            new HybridTimes(() -> 1_000), VersionedCacheFixture.small(IndexType.SHARDED));
    CompletableFuture<HybridTime> answer = new CompletableFuture<>();
    behind.listen().key("a").start(v -> answer.complete(behind.add("b", "answer")));

    HybridTime asked = ahead.add("a", "question");

    assertThat(answer.join()).isGreaterThan(asked);
  }

  @Test
  void aListenerThatThrowsTooOftenEndsWhereItStands() {
    VersionedCache<String, String, Long> cache = process();
    AtomicInteger calls = new AtomicInteger();
    RecordingListener failing =
        new RecordingListener(
            version -> {
              if (version.sequence() == 2) {
                calls.incrementAndGet();
                throw new IllegalStateException("not this one");
              }
            });
    Subscription subscription = byEvents(cache).key("a").repeats(2).start(failing);
    cache.add("a", "one");
    cache.add("a", "two");
    cache.add("a", "three");

    assertThatThrownBy(() -> subscription.ended().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("not this one");

    assertThat(calls).hasValue(3);
    assertThat(failing.rest()).containsExactly("a 1=one");
    byEvents(cache).key("a").from(subscription.position()).start(ears);
    assertThat(ears.next(2)).containsExactly("a 2=two", "a 3=three");
  }

  @Test
  void whatCannotBeReadAsAValueIsAFailureOfTheListener() {
    VersionedCache<String, String, Long> cache = process();
    cache.add("a", "one");
    BinaryCodec<String> unreadable =
        new BinaryCodec<>(
            BinaryCodec.TEXT.write(),
            bytes -> {
              throw new IllegalArgumentException("no such value");
            });
    VersionedCache<String, String, Long> other = caches.process(unreadable);

    Subscription subscription =
        byEvents(other).key("a").from(SubscriptionPosition.BEGINNING).repeats(0).start(ears);

    assertThatThrownBy(() -> subscription.ended().toCompletableFuture().join())
        .hasRootCauseMessage("no such value");
  }

  @Test
  void aStoreThatIsAwayIsAskedUntilItIsBack() throws InterruptedException {
    caches.patience = Duration.ofMillis(300);
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "one");
    Switch away = new Switch();
    caches.view = away::over;
    VersionedCache<String, String, Long> listening = process();
    Subscription subscription =
        byClock(listening).key("a").from(SubscriptionPosition.BEGINNING).start(ears);
    assertThat(ears.next()).isEqualTo("a 1=one");

    away.isAway = true;
    writer.add("a", "two");
    await()
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> subscription.failing().isPresent());
    assertThat(ears.rest()).isEmpty();
    away.isAway = false;

    assertThat(ears.next()).isEqualTo("a 2=two");
    await()
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> subscription.failing().isEmpty());
  }

  /** Fails all reads while {@code isAway}. */
  private static final class Switch {
    volatile boolean isAway;

    ObjectStore over(ObjectStore store) {
      return new UnresponsiveStore(store) {
        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
          return isAway ? CompletableFuture.failedFuture(new IOException("away")) : super.read(key);
        }
      };
    }
  }

  @Test
  void aKeyThatCannotBeReadHoldsUpNoOther() {
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "one");
    writer.add("b", "one");
    String root =
        caches.store.entries().keySet().stream()
            .filter(SubscriptionFixture::isRoot)
            .sorted()
            .findFirst()
            .get();
    caches.store.put(root, new byte[] {1, 2, 3}).toCompletableFuture().join();

    Subscription subscription =
        byClock(process()).keys(List.of("a", "b")).from(SubscriptionPosition.BEGINNING).start(ears);

    assertThat(ears.next()).isEqualTo("b 1=one");
    writer.add("b", "two");
    assertThat(ears.next()).isEqualTo("b 2=two");
    assertThat(subscription.failing()).isPresent();
  }

  @Test
  void subscriptionsEndWithTheCache() {
    VersionedCache<String, String, Long> cache = process();
    Subscription subscription = byEvents(cache).key("a").start(ears);

    cache.close();

    subscription.ended().toCompletableFuture().join();
    process().add("a", "one");
    caches.store.quiet();
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void theStoreTellsNothingMoreOnceNobodyListens() throws InterruptedException {
    VersionedCache<String, String, Long> cache = process();
    Subscription one = byEvents(cache).key("a").start(ears);
    Subscription two = byEvents(cache).key("b").start(ears);
    await()
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> caches.store.watchers() == 1);

    one.close();
    two.close();

    await()
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> caches.store.watchers() == 0);
  }

  @Test
  void whatCannotBeListenedToIsRefused() {
    VersionedCache<String, String, Long> cache = process();
    SubscriptionPosition other =
        SubscriptionPosition.of(new byte[] {1, 0, 5, 'c', 'a', 'r', 't', 's', 0, 0, 0, 0});

    assertThatThrownBy(() -> cache.listen().keys(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().key("x".repeat(601)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().from(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pages");
    assertThatThrownBy(() -> cache.listen().every(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().repeats(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().page(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
