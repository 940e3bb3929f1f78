package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.ManualScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How fast keys are copied. */
final class PaceTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final Pace pace = new Pace(scheduler);

  @Test
  void withoutABoundNobodyWaits() {
    assertThat(pace.most()).isEqualTo(Pace.MOST);
    for (int i = 0; i < 10; i++) {
      assertThat(pace.turn(64).toCompletableFuture()).isCompletedWithValue(true);
    }
  }

  @Test
  void soManyKeysASecondAreTakenAndNoneAreSaved() {
    pace.set(100);
    scheduler.advance(Duration.ofHours(1));

    assertThat(pace.most()).isEqualTo(25);
    assertThat(pace.turn(25).toCompletableFuture()).isDone();
    var second = pace.turn(25).toCompletableFuture();
    scheduler.advance(Duration.ofMillis(249));
    assertThat(second).isNotDone();
    scheduler.advance(Duration.ofMillis(1));
    assertThat(second).isDone();
  }

  @Test
  void anotherBoundHoldsFromTheNextTurnOn() {
    pace.set(1);
    assertThat(pace.most()).isEqualTo(1);
    assertThat(pace.turn(1).toCompletableFuture()).isDone();
    var slow = pace.turn(1).toCompletableFuture();
    pace.set(0);

    assertThat(slow).isNotDone();
    assertThat(pace.turn(64).toCompletableFuture()).isDone();
    pace.set(1_000_000);
    assertThat(pace.most()).isEqualTo(Pace.MOST);
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(slow).isDone();
  }
}
