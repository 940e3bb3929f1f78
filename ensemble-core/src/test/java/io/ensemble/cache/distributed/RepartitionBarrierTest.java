package io.ensemble.cache.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RepartitionBarrierTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final AtomicInteger looks = new AtomicInteger();
  private final RepartitionBarrier repartitionBarrier =
      new RepartitionBarrier(scheduler, looks::incrementAndGet);

  private CompletableFuture<Boolean> passed(Duration longest) {
    return repartitionBarrier
        .passed(() -> false, Deadline.after(longest, scheduler))
        .toCompletableFuture();
  }

  @Test
  void whoWaitsGoesOnWhenItIsOpened() {
    CompletableFuture<Boolean> one = passed(Duration.ofSeconds(5));
    CompletableFuture<Boolean> other = passed(Duration.ofSeconds(5));

    repartitionBarrier.open(() -> false);
    assertThat(one).isNotDone();
    repartitionBarrier.open(() -> true);

    assertThat(one).isCompletedWithValue(true);
    assertThat(other).isCompletedWithValue(true);
    assertThat(
            repartitionBarrier.passed(() -> true, Deadline.after(Duration.ofSeconds(1), scheduler)))
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

    repartitionBarrier.close();
    assertThat(longer).isCompletedWithValue(false);
    assertThat(passed(Duration.ofSeconds(5))).isCompletedWithValue(false);
  }

  @Test
  void oneMoreThanMayWaitIsTurnedAway() {
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < RepartitionBarrier.MOST_WAITING; i++) {
      waiting.add(passed(Duration.ofSeconds(5)));
    }

    assertThat(passed(Duration.ofSeconds(5))).isCompletedWithValue(false);
    assertThat(waiting).allMatch(one -> !one.isDone());
  }
}
