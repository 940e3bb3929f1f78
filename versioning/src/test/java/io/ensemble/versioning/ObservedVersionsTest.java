package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.versioning.order.Timestamps;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions that a process has seen limit its new versions, and are part of its snapshots. */
@Timeout(90)
class ObservedVersionsTest {

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> process() {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));
  }

  @Test
  void allThatWasAddedTogetherIsInTheSnapshot() {
    VersionedCache<String, String, Long> cache = process();
    cache.addAll(
        "key",
        List.of(
            new Versioned<>(10L, Optional.of("higher")), new Versioned<>(5L, Optional.of("last"))));

    assertThat(cache.snapshot().get("key").orElseThrow().version()).isEqualTo(10);
  }

  @Test
  void versionsThatWereOnlyListedAreMet() {
    process().put("a", "of another process", 100L);
    VersionedCache<String, String, Long> cache = process();

    assertThat(cache.versions("a", null, null, 10, false)).containsExactly(100L);
    assertThat(cache.add("b", "later")).isGreaterThanOrEqualTo(100);
  }

  @Test
  void halfACharacterIsNoText() {
    VersionedCache<String, String, Long> cache = process();

    assertThatIllegalArgumentException().isThrownBy(() -> cache.add("\uD800", "value"));
    assertThatIllegalArgumentException().isThrownBy(() -> cache.add("key", "\uDC00"));
    cache.add("\uD83D\uDE00", "\uD83D\uDE00");
    assertThat(cache.latest("\uD83D\uDE00").orElseThrow().value()).contains("\uD83D\uDE00");
  }
}
