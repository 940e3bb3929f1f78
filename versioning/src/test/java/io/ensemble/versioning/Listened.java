package io.ensemble.versioning;

import io.ensemble.objects.MuteStore;
import io.ensemble.versioning.listen.Listening;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** Processes that listen, and what they hear. */
abstract class Listened {

  static final Duration OFTEN = Duration.ofMillis(50);
  static final Duration NEVER = Duration.ofHours(1);

  final Caches caches = new Caches(1);
  final Ears ears = new Ears();

  @AfterEach
  void close() {
    caches.close();
  }

  VersionedCache<String, String, Long> process() {
    return caches.process(new Timestamps(() -> 0), Caches.small(Index.SHARDED));
  }

  /** One whose store tells nothing. */
  VersionedCache<String, String, Long> deaf() {
    caches.view =
        store ->
            new MuteStore(store) {
              @Override
              public Optional<AutoCloseable> watch(Consumer<Change> listener) {
                return Optional.empty();
              }
            };
    VersionedCache<String, String, Long> process = process();
    caches.view = store -> store;
    return process;
  }

  static Listening<String, String, Long> byEvents(VersionedCache<String, String, Long> cache) {
    return cache.listen().every(NEVER).keysEvery(NEVER);
  }

  static Listening<String, String, Long> byClock(VersionedCache<String, String, Long> cache) {
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
