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

class PartitionTableWaitQueueTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final AtomicInteger looks = new AtomicInteger();
  private final PartitionTableWaitQueue waitQueue =
      new PartitionTableWaitQueue(scheduler, looks::incrementAndGet);

  private CompletableFuture<Boolean> waiter(Duration longest) {
    return waitQueue
        .awaitNewerTable(() -> false, Deadline.after(longest, scheduler))
        .toCompletableFuture();
  }

  @Test
  void whoWaitsGoesOnWhenItIsOpened() {
    CompletableFuture<Boolean> one = waiter(Duration.ofSeconds(5));
    CompletableFuture<Boolean> other = waiter(Duration.ofSeconds(5));

    waitQueue.releaseIf(() -> false);
    assertThat(one).isNotDone();
    waitQueue.releaseIf(() -> true);

    assertThat(one).isCompletedWithValue(true);
    assertThat(other).isCompletedWithValue(true);
    assertThat(
            waitQueue.awaitNewerTable(() -> true, Deadline.after(Duration.ofSeconds(1), scheduler)))
        .isCompletedWithValue(true);
  }

  @Test
  void theRecordIsLookedAtWhileSomebodyWaits() {
    waiter(Duration.ofSeconds(1));
    waiter(Duration.ofSeconds(1));
    assertThat(looks).hasValue(1);

    scheduler.advance(Duration.ofMillis(600));
    assertThat(looks).hasValue(3);

    scheduler.advance(Duration.ofSeconds(10));
    assertThat(looks.get()).isLessThanOrEqualTo(5);
  }

  @Test
  void nobodyWaitsBeyondTheDeadlineNorAfterTheEnd() {
    CompletableFuture<Boolean> brief = waiter(Duration.ofMillis(10));
    CompletableFuture<Boolean> longer = waiter(Duration.ofSeconds(5));

    scheduler.advance(Duration.ofMillis(20));
    assertThat(brief).isCompletedWithValue(false);
    assertThat(longer).isNotDone();

    waitQueue.close();
    assertThat(longer).isCompletedWithValue(false);
    assertThat(waiter(Duration.ofSeconds(5))).isCompletedWithValue(false);
  }

  @Test
  void oneMoreThanMayWaitIsTurnedAway() {
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < PartitionTableWaitQueue.MOST_WAITING; i++) {
      waiting.add(waiter(Duration.ofSeconds(5)));
    }

    assertThat(waiter(Duration.ofSeconds(5))).isCompletedWithValue(false);
    assertThat(waiting).allMatch(one -> !one.isDone());
  }
}
