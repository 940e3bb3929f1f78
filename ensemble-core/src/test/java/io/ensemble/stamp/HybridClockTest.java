package io.ensemble.stamp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HybridClockTest {

  private static final long NOW = micros("2026-11-24T00:00:00Z");
  private static final long YEAR_2100 = micros("2100-01-01T00:00:00Z");
  private static final long SECOND = 1_000_000;

  private final AtomicLong physical = new AtomicLong(NOW);
  private final List<Long> rejected = new ArrayList<>();
  private final HybridClock clock =
      new HybridClock(
          physical::get, Duration.ofSeconds(60), (seen, now) -> rejected.add(seen - now));

  private static long micros(String moment) {
    return Instant.parse(moment).toEpochMilli() * 1000;
  }

  @Test
  void aTimeWithinTheMaximumSkewIsAdopted() {
    assertThat(clock.observe(NOW + 60 * SECOND)).isTrue();

    assertThat(clock.next()).isGreaterThan(NOW + 60 * SECOND);
    assertThat(rejected).isEmpty();
  }

  @Test
  void aTimeBeyondTheMaximumSkewIsRejectedAndReported() {
    assertThat(clock.observe(NOW + 60 * SECOND + 1)).isFalse();
    assertThat(clock.observe(YEAR_2100)).isFalse();

    assertThat(clock.next()).isBetween(NOW, NOW + 1);
    assertThat(rejected).containsExactly(60 * SECOND + 1, YEAR_2100 - NOW);
  }

  @Test
  void aTimeThatWasRejectedIsAdoptedOnceItIsNear() {
    clock.observe(NOW + 90 * SECOND);
    physical.addAndGet(40 * SECOND);

    assertThat(clock.observe(NOW + 90 * SECOND)).isTrue();
    assertThat(clock.next()).isGreaterThan(NOW + 90 * SECOND);
  }

  @Test
  void aRejectedTimeHasATimeAboveItThatMovesNoOther() {
    long first = clock.after(YEAR_2100);
    long second = clock.after(YEAR_2100);

    assertThat(first).isGreaterThan(YEAR_2100);
    assertThat(second).isGreaterThan(first);
    assertThat(clock.after(NOW)).isBetween(NOW, NOW + 2);
    assertThat(rejected).hasSize(2);
  }

  @Test
  void timesAboveRejectedOnesAreNeverGivenAgain() {
    Set<Long> given = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      assertThat(given.add(clock.after(NOW + 61 * SECOND))).isTrue();
    }
    physical.addAndGet(61 * SECOND - 20);

    for (int i = 0; i < 300; i++) {
      assertThat(given.add(clock.next())).isTrue();
      physical.incrementAndGet();
    }
  }

  @Test
  void aClockThatJumpsBackAcceptsWhatItHasGivenItself() {
    physical.set(YEAR_2100);
    long own = clock.next();
    physical.set(NOW);

    assertThat(clock.observe(own)).isTrue();
    assertThat(clock.next()).isGreaterThan(own);
    assertThat(clock.observe(own + 10 * SECOND)).isFalse();
  }

  @Test
  void aMaximumSkewIsPositive() {
    assertThatThrownBy(() -> new HybridClock(physical::get, Duration.ZERO, (seen, now) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("positive");
  }
}
