package io.ensemble.registers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long processes wait after they have met. */
class ContentionManagerTest {

  private static Duration longest(int attempt, Duration lastAttempt) {
    Duration longest = Duration.ZERO;
    for (int i = 0; i < 1_000; i++) {
      Duration pause = ContentionManager.exponential().pause(attempt, lastAttempt);
      longest = pause.compareTo(longest) > 0 ? pause : longest;
    }
    return longest;
  }

  @Test
  void pausesGrowWithTheAttempts() {
    Duration once = longest(1, Duration.ofMillis(1));

    assertThat(once).isLessThanOrEqualTo(Duration.ofMillis(2));
    assertThat(longest(6, Duration.ofMillis(1)))
        .isGreaterThan(once)
        .isLessThanOrEqualTo(Duration.ofMillis(64));
  }

  /** A process that was stopped for a while must not wait until its deadline. */
  @Test
  void noPauseIsLongerThanASecond() {
    for (int attempt : new int[] {1, 6, 1_000_000}) {
      assertThat(longest(attempt, Duration.ofDays(300))).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }
    assertThat(longest(1, Duration.ZERO)).isLessThan(Duration.ofMillis(1));
  }
}
