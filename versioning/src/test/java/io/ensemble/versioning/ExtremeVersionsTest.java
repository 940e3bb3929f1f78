package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.Timestamps;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The largest versions, the largest shards, and null. */
class ExtremeVersionsTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  @Test
  void theLargestNumberClosesItsKeyOnly() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
    cache.asOf("key", Long.MAX_VALUE);

    assertThatIllegalStateException()
        .isThrownBy(() -> cache.add("key", "value"))
        .withMessageContaining("no version can follow");
    assertThat(cache.add("other", "one")).isLessThan(cache.add("other", "two"));
  }

  @Test
  void shardsOfAnySizeAreNotSplitOffBefore() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), HistoryLimits.of(IndexType.SHARDED, Integer.MAX_VALUE));
    for (int i = 0; i < 20; i++) {
      cache.add("key", "value " + i);
    }

    cache.settle("key");

    assertThat(versionedCacheFixture.parts()).isZero();
  }

  /** Null is neither a removal nor a request for a new version. */
  @Test
  @SuppressWarnings("NullAway")
  void nullIsRefused() {
    VersionedCache<String, String, Long> cache =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.TREE));

    assertThatNullPointerException().isThrownBy(() -> cache.add("key", null));
    assertThatNullPointerException().isThrownBy(() -> cache.put("key", null, 1L));
    assertThatNullPointerException().isThrownBy(() -> cache.put("key", "value", null));
    assertThatNullPointerException().isThrownBy(() -> cache.add(null, "value"));
    assertThatNullPointerException().isThrownBy(() -> new Versioned<>(null, null));
    assertThat(cache.heads("key")).isEmpty();
  }
}
