package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.versioning.VersioningException.VersionTooFarAhead;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions of the year 9999, and a process whose clock says 2100. */
@Timeout(90)
class ClockSkewVersionsTest {

  private static final HybridTime YEAR_9999 = new HybridTime(253_402_300_799_999L, 0);
  private static final long NOW = 1_795_478_400_000L;
  private static final long YEAR_2100 = 4_102_444_800_000L;
  private static final long MINUTE = 60_000;

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);
  private final AtomicLong clock = new AtomicLong(NOW);
  private final VersionedCache<String, String, HybridTime> cache =
      versionedCacheFixture.process(
          new HybridTimes(clock::get), VersionedCacheFixture.small(IndexType.SHARDED));

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, HybridTime> ill() {
    return versionedCacheFixture.process(
        new HybridTimes(() -> YEAR_2100), VersionedCacheFixture.small(IndexType.SHARDED));
  }

  @Test
  void aKeyIsNotReadAsOfAVersionTooFarAheadAndIsWrittenAsEver() {
    cache.add("key", "one");

    assertThatThrownBy(() -> cache.asOf("key", YEAR_9999))
        .isInstanceOf(VersionTooFarAhead.class)
        .hasMessage(
            "the version is too far ahead of this process's clock; version=253402300799999.0"
                + " clock=1795478400000 key=key");

    assertThat(cache.add("key", "two").millis()).isEqualTo(NOW);
    assertThat(cache.add("other", "one").millis()).isEqualTo(NOW);
  }

  @Test
  void aVersionTooFarAheadIsNotAdded() {
    assertThatThrownBy(() -> cache.put("key", "value", YEAR_9999))
        .isInstanceOf(VersionTooFarAhead.class);
    assertThatThrownBy(
            () ->
                cache.addAll(
                    "key",
                    List.of(
                        new Versioned<>(new HybridTime(NOW, 0), Optional.of("now")),
                        new Versioned<>(YEAR_9999, Optional.of("then")))))
        .isInstanceOf(VersionTooFarAhead.class);

    assertThat(cache.versions("key", null, null, 10, false))
        .as("what came before the refused one")
        .containsExactly(new HybridTime(NOW, 0));
    assertThat(cache.add("key", "next").millis()).isEqualTo(NOW);
  }

  @Test
  void aVersionWithinTheMaximumSkewIsAddedAndFollowed() {
    cache.put("key", "value", new HybridTime(NOW + MINUTE, 0));

    assertThat(cache.add("other", "later")).isGreaterThan(new HybridTime(NOW + MINUTE, 0));
    assertThat(cache.asOf("key", new HybridTime(NOW + MINUTE, 0))).isPresent();
  }

  @Test
  void versionsOfAProcessThatIsFarAheadAreReadAndMoveNoOtherKey() {
    HybridTime far = ill().add("key", "from 2100");

    assertThat(cache.latest("key").orElseThrow().value()).contains("from 2100");
    assertThat(cache.versions("key", null, null, 10, false)).containsExactly(far);
    assertThat(cache.add("key", "after")).as("versions of a key rise").isGreaterThan(far);
    assertThat(cache.add("other", "one").millis()).isEqualTo(NOW);
    assertThat(cache.snapshot().version().millis()).isLessThan(NOW + MINUTE);
  }

  @Test
  void aSnapshotAboveAllKeysThatWereMadeSinceIsNotTakenForOneOfNow() {
    ill().snapshot();

    assertThatThrownBy(cache::snapshot)
        .isInstanceOf(VersionTooFarAhead.class)
        .hasMessageContaining("the cache " + VersionedCacheFixture.NAME);
    assertThat(cache.at(new HybridTime(NOW, 0)).version().millis()).isEqualTo(NOW);
  }

  @Test
  void theMaximumSkewIsWhatTheSpaceIsGiven() {
    VersionedCache<String, String, HybridTime> lenient =
        versionedCacheFixture.process(
            new HybridTimes(clock::get, HybridTimes.SKEW, Duration.ofHours(2)),
            VersionedCacheFixture.small(IndexType.SHARDED));

    lenient.put("key", "value", new HybridTime(NOW + 60 * MINUTE, 0));

    assertThat(lenient.add("other", "later").millis()).isEqualTo(NOW + 60 * MINUTE);
    assertThatThrownBy(() -> lenient.asOf("key", YEAR_9999)).isInstanceOf(VersionTooFarAhead.class);
    assertThatThrownBy(() -> new HybridTimes(clock::get, Duration.ofSeconds(2), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least the skew");
  }

  @Test
  void numbersByAClockAreBoundedAndPlainCountersAreNot() {
    VersionedCache<String, String, Long> timed =
        versionedCacheFixture.process(
            new Timestamps(clock::get), VersionedCacheFixture.small(IndexType.SHARDED));
    VersionedCache<String, String, Long> counted =
        versionedCacheFixture.process(
            new Timestamps(() -> 0), VersionedCacheFixture.small(IndexType.SHARDED));

    assertThatThrownBy(() -> timed.put("n", "value", YEAR_2100))
        .isInstanceOf(VersionTooFarAhead.class);
    assertThatThrownBy(() -> timed.at(YEAR_2100)).isInstanceOf(VersionTooFarAhead.class);
    counted.put("m", "value", YEAR_2100);

    assertThat(counted.add("m", "next")).isEqualTo(YEAR_2100 + 1);
    assertThat(timed.add("n", "now")).isEqualTo(NOW);
  }
}
