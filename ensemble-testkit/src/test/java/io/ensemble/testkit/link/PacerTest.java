package io.ensemble.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PacerTest {

  private static final long MILLI = 1_000_000;

  private final Pacer tenMegabits = new Pacer(10_000_000);

  @Test
  void aMessageIsThroughWhenItsLastBitIs() {
    assertThat(tenMegabits.through(5 * MILLI, 1_250)).isEqualTo(6 * MILLI);
  }

  @Test
  void messagesQueueOneBehindTheOther() {
    assertThat(tenMegabits.through(0, 12_500)).isEqualTo(10 * MILLI);
    assertThat(tenMegabits.through(3 * MILLI, 1_250)).isEqualTo(11 * MILLI);
  }

  @Test
  void idleTimeIsNotSavedForLater() {
    tenMegabits.through(0, 1_250);

    assertThat(tenMegabits.through(1_000 * MILLI, 1_250)).isEqualTo(1_001 * MILLI);
  }

  @Test
  void whatHasNoBoundPassesAtOnce() {
    Pacer unbounded = new Pacer(0);

    assertThat(unbounded.bounds()).isFalse();
    assertThat(unbounded.through(7, Integer.MAX_VALUE)).isEqualTo(7);
  }

  @Test
  void anImpossibleWayIsRefused() {
    assertThatThrownBy(() -> new Wan(Duration.ofMillis(-1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1 ms");
    assertThatThrownBy(() -> new Wan(Duration.ofSeconds(11), 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Wan(Duration.ZERO, 9_999))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999 bit/s");
    assertThat(Wan.NONE.isNothing()).isTrue();
  }
}
