package io.ensemble.versioning;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.listen.SubscriptionBuilder;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** Processes with subscriptions, and a listener. */
abstract class SubscriptionFixture {

  static final Duration OFTEN = Duration.ofMillis(50);
  static final Duration NEVER = Duration.ofHours(1);

  final VersionedCacheFixture caches = new VersionedCacheFixture(1);
  final RecordingListener ears = new RecordingListener();

  @AfterEach
  void close() {
    caches.close();
  }

  VersionedCache<String, String, Long> process() {
    return caches.process(new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
  }

  /** A process whose store sends no events. */
  VersionedCache<String, String, Long> deaf() {
    caches.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public Optional<AutoCloseable> watch(Consumer<Change> listener) {
                return Optional.empty();
              }
            };
    VersionedCache<String, String, Long> process = process();
    caches.view = store -> store;
    return process;
  }

  static SubscriptionBuilder<String, String, Long> byEvents(
      VersionedCache<String, String, Long> cache) {
    return cache.listen().every(NEVER).keysEvery(NEVER);
  }

  static SubscriptionBuilder<String, String, Long> byClock(
      VersionedCache<String, String, Long> cache) {
    return cache.listen().every(OFTEN).keysEvery(OFTEN);
  }

  static boolean isRoot(String key) {
    return key.startsWith("object/versions/");
  }

  static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
