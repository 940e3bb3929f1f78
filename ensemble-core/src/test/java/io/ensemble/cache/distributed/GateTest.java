package io.ensemble.cache.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.ManualScheduler;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GateTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final AtomicInteger looks = new AtomicInteger();
  private final Gate gate = new Gate(scheduler, looks::incrementAndGet);

  private CompletableFuture<Boolean> passed(Duration longest) {
    return gate.passed(() -> false, Deadline.after(longest, scheduler)).toCompletableFuture();
  }

  @Test
  void whoWaitsGoesOnWhenItIsOpened() {
    CompletableFuture<Boolean> one = passed(Duration.ofSeconds(5));
    CompletableFuture<Boolean> other = passed(Duration.ofSeconds(5));

    gate.open(() -> false);
    assertThat(one).isNotDone();
    gate.open(() -> true);

    assertThat(one).isCompletedWithValue(true);
    assertThat(other).isCompletedWithValue(true);
    assertThat(gate.passed(() -> true, Deadline.after(Duration.ofSeconds(1), scheduler)))
        .isCompletedWithValue(true);
  }

  @Test
  void theRecordIsLookedAtWhileSomebodyWaits() {
    passed(Duration.ofSeconds(1));
    passed(Duration.ofSeconds(1));
    assertThat(looks).hasValue(1);

    scheduler.advance(Duration.ofMillis(600));
    assertThat(looks).hasValue(3);

    scheduler.advance(Duration.ofSeconds(10));
    assertThat(looks.get()).isLessThanOrEqualTo(5);
  }

  @Test
  void nobodyWaitsBeyondTheDeadlineNorAfterTheEnd() {
    CompletableFuture<Boolean> brief = passed(Duration.ofMillis(10));
    CompletableFuture<Boolean> longer = passed(Duration.ofSeconds(5));

    scheduler.advance(Duration.ofMillis(20));
    assertThat(brief).isCompletedWithValue(false);
    assertThat(longer).isNotDone();

    gate.close();
    assertThat(longer).isCompletedWithValue(false);
    assertThat(passed(Duration.ofSeconds(5))).isCompletedWithValue(false);
  }

  @Test
  void oneMoreThanMayWaitIsTurnedAway() {
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < Gate.MOST_WAITING; i++) {
      waiting.add(passed(Duration.ofSeconds(5)));
    }

    assertThat(passed(Duration.ofSeconds(5))).isCompletedWithValue(false);
    assertThat(waiting).allMatch(one -> !one.isDone());
  }
}
