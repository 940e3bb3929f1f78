package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Since when a node counts as silent. */
class StoreSilenceTest {

  private static final String STORE = "s";

  private final StoreSilence silence = new StoreSilence();
  private long now = Duration.ofHours(1).toNanos();

  /** Checks the store after a time, and returns since when it has been silent. */
  private Duration check(Duration after) {
    now += after.toNanos();
    silence.beginCheck(now);
    return Duration.ofNanos(now - silence.recordSilence(STORE, now));
  }

  @Test
  void aSilenceLastsFromTheFirstCheckThatGotNoAnswer() {
    assertThat(check(Duration.ZERO)).isZero();
    assertThat(check(StoreSilence.LONGEST_CHECK)).isEqualTo(StoreSilence.LONGEST_CHECK);
    assertThat(check(Duration.ofSeconds(1))).isEqualTo(StoreSilence.LONGEST_CHECK.plusSeconds(1));
  }

  @Test
  void anAnswerEndsIt() {
    check(Duration.ZERO);
    silence.recordAnswer(STORE);

    assertThat(check(Duration.ofSeconds(1))).isZero();
  }

  @Test
  void aProcessThatSleptBeginsAnew() {
    check(Duration.ZERO);

    assertThat(check(StoreSilence.LONGEST_CHECK.plusNanos(1))).isZero();
    assertThat(check(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aStoreThatIsNotCheckedAnyMoreIsForgotten() {
    check(Duration.ZERO);
    silence.retain(Set.of());

    assertThat(check(Duration.ofSeconds(1))).isZero();
  }
}
