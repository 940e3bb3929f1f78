package io.ensemble.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BandwidthLimiterTest {

  private static final long MILLI = 1_000_000;

  private final BandwidthLimiter tenMegabits = new BandwidthLimiter(10_000_000);

  @Test
  void aMessageIsThroughWhenItsLastBitIs() {
    assertThat(tenMegabits.passedNanos(5 * MILLI, 1_250)).isEqualTo(6 * MILLI);
  }

  @Test
  void messagesQueueOneBehindTheOther() {
    assertThat(tenMegabits.passedNanos(0, 12_500)).isEqualTo(10 * MILLI);
    assertThat(tenMegabits.passedNanos(3 * MILLI, 1_250)).isEqualTo(11 * MILLI);
  }

  @Test
  void idleTimeIsNotSavedForLater() {
    tenMegabits.passedNanos(0, 1_250);

    assertThat(tenMegabits.passedNanos(1_000 * MILLI, 1_250)).isEqualTo(1_001 * MILLI);
  }

  @Test
  void whatHasNoBoundPassesAtOnce() {
    BandwidthLimiter unbounded = new BandwidthLimiter(0);

    assertThat(unbounded.bounds()).isFalse();
    assertThat(unbounded.passedNanos(7, Integer.MAX_VALUE)).isEqualTo(7);
  }

  @Test
  void anImpossibleWayIsRefused() {
    assertThatThrownBy(() -> new WanProfile(Duration.ofMillis(-1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1 ms");
    assertThatThrownBy(() -> new WanProfile(Duration.ofSeconds(11), 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new WanProfile(Duration.ZERO, 9_999))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999 bit/s");
    assertThat(WanProfile.NONE.isNothing()).isTrue();
  }
}
