package io.ensemble.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class ThreadSchedulerTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);

  @AfterEach
  void close() {
    scheduler.close();
  }

  @Test
  void tasksRunOnItsDaemonThreadsOfWhichThereAreAsManyAsAskedFor() throws Exception {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch all = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      scheduler.execute(
          () -> {
            threads.add(Thread.currentThread());
            both.countDown();
            if (await(both)) {
              all.countDown();
            }
          });
    }

    assertThat(await(all)).isTrue();
    assertThat(threads).hasSize(2).allMatch(Thread::isDaemon);
    assertThat(threads).extracting(Thread::getName).allMatch(n -> n.matches("ensemble-\\d"));
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void aTaskForLaterRunsLaterOnTheSameThreads() throws Exception {
    long began = scheduler.nanos();
    CompletableFuture<String> ran = new CompletableFuture<>();

    scheduler.after(20_000_000, () -> ran.complete(Thread.currentThread().getName()));

    assertThat(ran.get(20, TimeUnit.SECONDS)).matches("ensemble-\\d");
    assertThat(scheduler.nanos() - began).isGreaterThanOrEqualTo(20_000_000);
  }

  @Test
  void aCancelledTaskDoesNotRun() throws Exception {
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    CompletableFuture<Void> control = new CompletableFuture<>();

    scheduler.after(10_000_000, () -> cancelled.complete(null)).cancel();
    scheduler.after(50_000_000, () -> control.complete(null));

    control.get(20, TimeUnit.SECONDS);
    assertThat(cancelled).isNotDone();
  }

  @Test
  void aTaskThatThrowsEndsNeitherTheThreadsNorTheTimer() throws Exception {
    for (int i = 0; i < 5; i++) {
      scheduler.execute(
          () -> {
            throw new IllegalStateException("expected by the test");
          });
      scheduler.after(
          0,
          () -> {
            throw new AssertionError("expected by the test");
          });
    }
    CompletableFuture<Void> ran = new CompletableFuture<>();

    scheduler.after(1_000_000, () -> scheduler.execute(() -> ran.complete(null)));

    ran.get(20, TimeUnit.SECONDS);
  }

  @Test
  void afterTheEndWhatWasTakenStillRunsAndWhatComesIsRejected() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(10);
    scheduler.execute(() -> await(hold));
    scheduler.execute(() -> await(hold));
    for (int i = 0; i < 10; i++) {
      scheduler.execute(ran::countDown);
    }

    scheduler.close();
    scheduler.close();

    assertThatThrownBy(() -> scheduler.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> scheduler.after(1, () -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    hold.countDown();
    assertThat(await(ran)).isTrue();
  }

  @Test
  void theWallClockCountsMicrosecondsSince1970() {
    long micros = scheduler.epochMicros();

    Instant told = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    assertThat(Duration.between(told, Instant.now()).abs()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void noThreadsIsTooFew() {
    assertThatThrownBy(() -> new ThreadScheduler(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 0");
  }
}
