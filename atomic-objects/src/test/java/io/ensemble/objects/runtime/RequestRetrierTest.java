package io.ensemble.objects.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestRetrierTest {

  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final TimedExecutor timed = new TimedExecutor(executor, timer);
  private final RequestRetrier retrier = new RequestRetrier(timed, Duration.ofSeconds(30));
  private final AtomicInteger sent = new AtomicInteger();

  @AfterEach
  void stop() {
    timer.shutdownNow();
    executor.shutdownNow();
  }

  private CompletionStage<String> failing() {
    sent.incrementAndGet();
    return CompletableFuture.failedFuture(new IOException("cut"));
  }

  @Test
  void aRequestThatFailsIsRetried() {
    CompletionStage<String> answer =
        retrier.asked(
            () -> sent.get() < 3 ? failing() : CompletableFuture.completedFuture("stored"),
            timed.now() + Duration.ofMinutes(1).toNanos());

    await().until(() -> answer.toCompletableFuture().isDone());
    assertThat(answer.toCompletableFuture()).isCompletedWithValue("stored");
  }

  /** The pause is as long as the executor is busy; the timer stops meanwhile. */
  @Test
  void noRequestIsSentAfterTheTimerHasStopped() {
    CompletableFuture<Void> busy = new CompletableFuture<>();
    executor.execute(busy::join);
    CompletionStage<String> answer =
        retrier.asked(this::failing, timed.now() + Duration.ofMinutes(1).toNanos());
    timer.shutdownNow();
    busy.complete(null);

    await().until(() -> answer.toCompletableFuture().isDone());
    assertThat(answer.toCompletableFuture()).isCompletedExceptionally();
    assertThat(sent).hasValue(1);
  }
}
