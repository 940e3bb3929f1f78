package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.VirtualTimeScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How fast keys are copied. */
final class CopyRateLimiterTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final CopyRateLimiter copyRateLimiter = new CopyRateLimiter(scheduler);

  @Test
  void withoutABoundNobodyWaits() {
    assertThat(copyRateLimiter.maxBatch()).isEqualTo(CopyRateLimiter.MOST);
    for (int i = 0; i < 10; i++) {
      assertThat(copyRateLimiter.acquire(64).toCompletableFuture()).isCompletedWithValue(true);
    }
  }

  @Test
  void soManyKeysASecondAreTakenAndNoneAreSaved() {
    copyRateLimiter.set(100);
    scheduler.advance(Duration.ofHours(1));

    assertThat(copyRateLimiter.maxBatch()).isEqualTo(25);
    assertThat(copyRateLimiter.acquire(25).toCompletableFuture()).isDone();
    var second = copyRateLimiter.acquire(25).toCompletableFuture();
    scheduler.advance(Duration.ofMillis(249));
    assertThat(second).isNotDone();
    scheduler.advance(Duration.ofMillis(1));
    assertThat(second).isDone();
  }

  @Test
  void anotherBoundHoldsFromTheNextTurnOn() {
    copyRateLimiter.set(1);
    assertThat(copyRateLimiter.maxBatch()).isEqualTo(1);
    assertThat(copyRateLimiter.acquire(1).toCompletableFuture()).isDone();
    var slow = copyRateLimiter.acquire(1).toCompletableFuture();
    copyRateLimiter.set(0);

    assertThat(slow).isNotDone();
    assertThat(copyRateLimiter.acquire(64).toCompletableFuture()).isDone();
    copyRateLimiter.set(1_000_000);
    assertThat(copyRateLimiter.maxBatch()).isEqualTo(CopyRateLimiter.MOST);
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(slow).isDone();
  }
}
