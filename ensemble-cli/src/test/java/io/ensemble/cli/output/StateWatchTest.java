package io.ensemble.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StateWatchTest {

  @Test
  void aStateIsShownEachTimeThatItChangesAndNotBetween() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    BlockingQueue<String> shown = new LinkedBlockingQueue<>();
    List<String> states = List.of("1 key", "1 key", "", "2 keys", "2 keys", "3 keys");

    try (StateWatch watch =
        StateWatch.of(
            () -> state(states, looks.getAndIncrement()), shown::add, Duration.ofMillis(1))) {
      assertThat(watch).isNotNull();
      for (String next : List.of("1 key", "2 keys", "3 keys")) {
        assertThat(shown.poll(30, TimeUnit.SECONDS)).isEqualTo(next);
      }
    }
  }

  /** The state at a look; an empty one cannot be read. */
  private static String state(List<String> states, int look) {
    String state = states.get(Math.min(look, states.size() - 1));
    if (state.isEmpty()) {
      throw new IllegalStateException("away");
    }
    return state;
  }
}
