package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How long a counter keeps the names of calls, when the clocks of callers differ. */
class CounterStateTest {

  private static final long NOW = 1_000_000_000L;
  private static final long HOUR = 3_600_000;

  private final CounterState counter = new CounterState();

  private static UUID call(int number) {
    return new UUID(0, number);
  }

  private void add(int first, int last, long at) {
    for (int i = first; i <= last; i++) {
      counter.addOnce(call(i), 1, at);
    }
  }

  @Test
  void aClockThatIsAnHourAheadForgetsFewOfTheOthersCalls() {
    add(1, 10, NOW);
    add(11, 11, NOW + HOUR);

    add(3, 10, NOW + 1);

    assertThat(counter.get()).isEqualTo(11);
  }

  @Test
  void callsOfAClockThatWasAYearAheadDoNotKeepOthersOut() {
    add(1, CounterState.MOST_REMEMBERED, NOW + 365 * 24 * HOUR);

    CounterResult next = counter.addOnce(call(2_000), 1, NOW);

    assertThat(next.end()).isEqualTo(CounterResult.End.DONE);
    assertThat(counter.addOnce(call(2_000), 1, NOW + 1).value()).isEqualTo(next.value());
  }

  @Test
  void whileAThousandAreRememberedNoOtherIsTakenForFiveMinutes() {
    add(1, CounterState.MOST_REMEMBERED, NOW);

    CounterResult over = counter.addOnce(call(2_000), 1, NOW + CounterState.REMEMBERED_MILLIS);
    CounterResult later = counter.addOnce(call(2_000), 1, NOW + CounterState.REMEMBERED_MILLIS + 1);

    assertThat(over.end()).isEqualTo(CounterResult.End.TOO_MANY);
    assertThat(later.end()).isEqualTo(CounterResult.End.DONE);
  }
}
