package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.order.Timestamps;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BlockingContinuationTest {

  /** A continuation that blocks must not occupy one of the store's two threads. */
  @Test
  @Timeout(90)
  void whatCompletesMayWaitForTheStore() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> writer =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.TREE));
      for (int i = 0; i < 50; i++) {
        writer.add("key", "value " + "x".repeat(40) + i);
      }
      writer.settle("key");
      VersionedCache<String, String, Long> cache =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.TREE));

      CompletableFuture<?>[] all = new CompletableFuture<?>[40];
      for (int i = 0; i < all.length; i++) {
        long version = 1 + i;
        all[i] =
            cache
                .async()
                .get("key", version)
                .thenAccept(
                    value -> {
                      assertThat(Thread.currentThread().getName()).isNotEqualTo("memory-store");
                      assertThat(cache.get("key", version)).isEqualTo(value);
                    })
                .toCompletableFuture();
      }

      CompletableFuture.allOf(all).join();
    }
  }
}
