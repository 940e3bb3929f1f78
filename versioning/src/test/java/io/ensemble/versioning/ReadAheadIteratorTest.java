package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.Closeables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Iterations over the keys. */
class ReadAheadIteratorTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(3);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> cache() {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.AUTO));
  }

  @Test
  void aWalkOverTheKeysRemovesNothingFromTheStore() {
    List<String> stored = new ArrayList<>();
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CloseableIterator<String> keys(String prefix) {
                try (CloseableIterator<String> walk = super.keys(prefix)) {
                  walk.forEachRemaining(stored::add);
                }
                return Closeables.iterator(stored.iterator());
              }
            };
    VersionedCache<String, String, Long> cache = cache();
    cache.add("a", "x");

    try (CloseableIterator<String> keys = cache.keys()) {
      keys.next();
      assertThatThrownBy(keys::remove).isInstanceOf(UnsupportedOperationException.class);
    }

    assertThat(stored).hasSize(1);
  }

  @Test
  void aWalkThatWasClosedHasEnded() {
    VersionedCache<String, String, Long> cache = cache();
    for (int i = 0; i < 200; i++) {
      cache.add("key " + i, "x");
    }
    CloseableIterator<String> walk = cache.keySet().iterator();
    walk.next();
    assertThat(walk.hasNext()).isTrue();

    walk.close();

    assertThat(walk.hasNext()).isFalse();
  }
}
