package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReadRetryTest {

  /** The history that was read names parts that are removed before they are read. */
  @Test
  void whatIsRemovedBetweenTheLookAndTheReadIsLookedForAgain() {
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1)) {
      VersionedCache<String, String, Long> writer =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
      for (int i = 0; i < 30; i++) {
        writer.add("key", "value " + i);
      }
      writer.settle("key");
      AtomicReference<Runnable> between = new AtomicReference<>(() -> writer.compact("key", 30L));
      versionedCacheFixture.view =
          store ->
              new UnresponsiveStore(store) {
                @Override
                public CompletionStage<Optional<Entry>> read(String key) {
                  if (key.startsWith("part/")) {
                    between.getAndSet(() -> {}).run();
                  }
                  return super.read(key);
                }
              };
      VersionedCache<String, String, Long> reader =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));

      List<Versioned<Long, String>> range = reader.getRange("key", 1L, 30L);

      assertThat(range).containsExactly(new Versioned<>(30L, Optional.of("value 29")));
    }
  }
}
