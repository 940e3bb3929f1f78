package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class RootPollerTest {

  private final List<Duration> pauses = new ArrayList<>();
  private final Deque<Runnable> alarms = new ArrayDeque<>();
  private int reads;
  private boolean isNeeded = true;

  private final RootPoller poller =
      new RootPoller(
          (pause, task) -> {
            pauses.add(pause);
            alarms.add(task);
          },
          () -> reads++,
          () -> isNeeded);

  private void ring(int times) {
    for (int i = 0; i < times; i++) {
      alarms.remove().run();
    }
  }

  @Test
  void manyCallersShareOnePoll() {
    for (int i = 0; i < 100; i++) {
      poller.begin();
    }

    assertThat(alarms).hasSize(1);
    ring(3);
    assertThat(reads).isEqualTo(3);
    assertThat(alarms).hasSize(1);
  }

  @Test
  void pausesGrowToALimitAndAreShortAfterAChange() {
    poller.begin();
    ring(60);

    assertThat(pauses.get(0)).isEqualTo(RootPoller.SHORTEST_PAUSE);
    assertThat(pauses.get(1)).isEqualTo(Duration.ofNanos(1_250_000));
    assertThat(pauses.get(60)).isEqualTo(RootPoller.LONGEST_PAUSE);
    assertThat(pauses).isSorted();
    poller.recordChange();
    assertThat(pauses.get(61)).isEqualTo(RootPoller.SHORTEST_PAUSE);
  }

  @Test
  void aChangeAdvancesThePollThatIsDueLate() {
    poller.begin();
    ring(30);

    for (int i = 0; i < 10; i++) {
      poller.recordChange();
    }

    assertThat(alarms).as("the late poll, and the one instead of it").hasSize(2);
    ring(1);
    assertThat(reads).as("the late one is ignored").isEqualTo(30);
    ring(1);
    assertThat(reads).isEqualTo(31);
    assertThat(alarms).hasSize(1);
  }

  @Test
  void aFurtherCallerDoesNotShortenThePauses() {
    poller.begin();
    ring(60);

    poller.begin();
    ring(1);

    assertThat(pauses.get(61)).isEqualTo(RootPoller.LONGEST_PAUSE);
  }

  @Test
  void itEndsWhenNoCallerWaitsAndBeginsAgain() {
    poller.begin();
    isNeeded = false;
    ring(1);
    assertThat(reads).isZero();
    assertThat(alarms).isEmpty();

    poller.begin();
    assertThat(alarms).isEmpty();
    isNeeded = true;
    poller.begin();
    ring(1);
    assertThat(reads).isEqualTo(1);
  }
}
